/** How a call to Temporal is tried again: as the SDK does it, but whoever brings an event soon hears of a full server. */
import { status as grpcStatus, type Interceptor } from "@grpc/grpc-js";
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from "@temporalio/client";

const MAX_TRIES_OF_A_START = 2;

const SDK = defaultGrpcRetryOptions();
const patient = makeGrpcRetryInterceptor(SDK);
const hurried = makeGrpcRetryInterceptor({
  ...SDK,
  retryableDecider: (attempt, status) =>
    SDK.retryableDecider(attempt, status) &&
    (attempt < MAX_TRIES_OF_A_START || status.code !== grpcStatus.RESOURCE_EXHAUSTED),
});

/**
 * A start that is waited for takes up a place, and its producer can send it again: it is tried once more, then told.
 * Lists and counts are allowed so many times a second, and wait for their turn.
 */
export const retryCalls: Interceptor = (options, nextCall) => {
  const isStart = options.method_definition.path.endsWith("/StartWorkflowExecution");
  return (isStart ? hurried : patient)(options, nextCall);
};
