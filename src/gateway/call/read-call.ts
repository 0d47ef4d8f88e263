import type { CallProgress } from "./call-progress.ts";
import type { AdmittedCall, ModelCall } from "./model-call.ts";
import { readCallBody, readEmbeddingsBody, type CallBody } from "./read-call-body.ts";

/** A call and its body, as its caller sent it. */
export interface ReadCall {
  readonly call: ModelCall;
  readonly body: CallBody;
}

/** Reads what decides where a call goes; takes the bytes over. Throws 400 for a body that is none. */
export function readCall(admitted: AdmittedCall, bytes: Buffer, progress: CallProgress): ReadCall {
  const requestBytes = bytes.length;
  try {
    const body = admitted.surface.isConversation ? readCallBody(bytes) : readEmbeddingsBody(bytes);
    const { isStream, estimatedInput } = body;
    const call = { ...admitted, requestBytes, isStream, estimatedInput };
    progress.call = call;
    return { call, body };
  } catch (error) {
    progress.call = { ...admitted, requestBytes };
    throw error;
  }
}
