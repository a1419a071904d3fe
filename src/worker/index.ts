/** `countersign/worker`: what a process that delivers imports. */
export {
  handler,
  type Handler,
  type HandlerContext,
  type HandlerFunction,
  type HandlerReceipt,
  type LookupReceipt,
  NonRetryableError,
  RetryableError,
} from "../activities/handler.ts";
export { type RunningWorker, startWorker, type WorkerSettings } from "./start-worker.ts";
