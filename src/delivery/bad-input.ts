/** Failure types that mean: this input can never be delivered. They fail the run. */
export const BAD_INPUT_TYPES: readonly string[] = [
  "bad_event",
  "bad_id",
  "body_too_large",
  "duplicate_member",
  "invalid_json",
  "no_route",
  "requester_required",
  "unknown_source",
];
