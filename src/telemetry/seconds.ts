/** Buckets of durations: those of the OpenTelemetry conventions for HTTP, and two more for what webhooks may take. */
export const SECONDS_BUCKETS: number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 30,
];
