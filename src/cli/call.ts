import {
  toJson,
  type DescMessage,
  type DescMethodUnary,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { HttpBodySchema } from "../../gen/ts/google/api/httpbody_pb.ts";
import { messageEncoder } from "../contract/json/encode-message.ts";
import { callError } from "./call-error.ts";
import type { Caller } from "./caller.ts";
import { withHint } from "./credential-hint.ts";
import { credentialForCall } from "./credentials.ts";
import { addressOf, serverUrl } from "./server-url.ts";

/**
 * Calls one method of the server; the answer is spelled as over REST. Rejects with a
 * `CallError`, also when the signal ends the call.
 */
export async function call(
  method: DescMethodUnary,
  request: Message,
  caller: Caller,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const address = addressOf(method);
  const url = serverUrl(address, caller);
  const credential = credentialForCall(method, url, caller);
  const headers = credential === undefined ? {} : { authorization: `Bearer ${credential.token}` };
  const transport = createConnectTransport({ baseUrl: url.href, httpVersion: "1.1" });
  try {
    const answer = await transport.unary(method, signal, undefined, headers, request);
    return spell(method.output, answer.message);
  } catch (error) {
    const place = caller.environment[address.variable] || url.origin;
    const refused = { method, url, caller, credential };
    throw withHint(callError(error, place, address.variable), refused);
  }
}

/** Over REST a `google.api.HttpBody` is its bytes alone, which are no JSON; here they are base64. */
function spell(desc: DescMessage, message: Message): JsonObject {
  const isBody = desc.typeName === HttpBodySchema.typeName;
  return (isBody ? toJson(desc, message) : messageEncoder(desc)(message)) as JsonObject;
}
