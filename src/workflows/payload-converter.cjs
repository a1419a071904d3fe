/**
 * The default conversion, except that a payload it cannot read becomes a marker instead of an
 * exception: an exception while decoding fails the workflow task, which the server then repeats
 * for ever. The marker is no event and no message, and is refused as such with a sentence.
 *
 * Plain CommonJS, because the SDK loads it by path, in the worker and into the workflow bundle.
 */
const { defaultPayloadConverter } = require("@temporalio/common");

exports.payloadConverter = {
  toPayload: (...args) => defaultPayloadConverter.toPayload(...args),
  fromPayload(...args) {
    try {
      return defaultPayloadConverter.fromPayload(...args);
    } catch {
      return { undecodable: true };
    }
  },
};
