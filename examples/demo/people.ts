/** Who asks for the refund, and who approves it: two people, because the route demands four eyes. */
export const REQUESTER = "rita@example.com";
export const APPROVER = "ana@example.com";
