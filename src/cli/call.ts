import type { DescMethodUnary, JsonObject, Message } from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { CallError, callError } from "./call-error.ts";
import { credentialFor, credentialHint } from "./credentials.ts";
import { restJson } from "./rest-json.ts";
import { addressOf, serverUrl } from "./server-url.ts";

/** Calls one method of the server; the answer is spelled as over REST. Rejects with a `CallError`. */
export async function call(
  method: DescMethodUnary,
  request: Message,
  environment: NodeJS.ProcessEnv,
): Promise<JsonObject> {
  const address = addressOf(method);
  const url = serverUrl(address, environment);
  const token = credentialFor(method, url, environment);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = createConnectTransport({ baseUrl: url.href, httpVersion: "1.1" });
  try {
    const answer = await transport.unary(method, undefined, undefined, headers, request);
    return restJson(method.output, answer.message);
  } catch (error) {
    const { variable } = address;
    throw withHint(callError(error, environment[variable] || url.origin, variable), method);
  }
}

function withHint(error: CallError, method: DescMethodUnary): CallError {
  if (error.code !== "unauthorized") return error;
  return new CallError(`${error.message}\n${credentialHint(method)}`, error.code);
}
