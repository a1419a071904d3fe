/** Why a received message was refused: a closed list, the same for every scheme. */
export const REFUSAL_REASONS = [
  "missing_header",
  "malformed_header",
  "unknown_version",
  /** The body does not say it; a header that is not there is `missing_header`. */
  "timestamp_missing",
  "timestamp_malformed",
  "timestamp_too_old",
  "timestamp_too_new",
  "signature_mismatch",
  "no_active_secret",
  "body_malformed",
  "certificate_untrusted",
  "topic_untrusted",
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];
