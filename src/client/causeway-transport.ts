import type { Transport } from "@connectrpc/connect";
import { CausewayError } from "./causeway-error.ts";

/**
 * A transport whose failures are a `CausewayError`, and whose calls end after `deadline`
 * milliseconds unless they say their own. Streams, which are held open on purpose, have
 * no deadline but one that they say.
 */
export function wrapTransportWithDeadline(inner: Transport, deadline: number): Transport {
  return {
    async unary(method, signal, timeout, ...rest) {
      try {
        return await inner.unary(method, signal, timeout ?? deadline, ...rest);
      } catch (error) {
        throw new CausewayError(error);
      }
    },
    async stream(...call) {
      try {
        const response = await inner.stream(...call);
        return { ...response, message: convertErrors(response.message) };
      } catch (error) {
        throw new CausewayError(error);
      }
    },
  };
}

async function* convertErrors<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  try {
    yield* messages;
  } catch (error) {
    throw new CausewayError(error);
  }
}
