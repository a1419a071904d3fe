/** A small configuration: orders go straight out, a refund above 500 waits for Ana's yes. */
import { defineConfig } from "countersign";

export default defineConfig({
  sources: { shop: {} },
  endpoints: {
    crm: { url: "http://127.0.0.1:9000/events", allowPrivate: ["127.0.0.0/8"], retry: "quick" },
    payments: { url: "http://127.0.0.1:9000/refunds", allowPrivate: ["127.0.0.0/8"], retry: "quick" },
  },
  routes: [
    { match: { source: "shop", type: "order.*" }, to: ["crm"] },
    {
      match: { type: "refund.requested" },
      to: ["payments"],
      approval: { when: { "data.amount": { gt: 500 } }, approvers: ["ana@example.com"] },
    },
  ],
  people: { "ana@example.com": {} },
});
