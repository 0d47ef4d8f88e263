import {
  toJson,
  type DescMessage,
  type DescMethodUnary,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { createConnectTransport } from "@connectrpc/connect-node";
import { HttpBodySchema } from "../../gen/ts/google/api/httpbody_pb.ts";
import { compileProtoJsonEncoder } from "../contract/json/encode-message.ts";
import { requestErrorToCliError } from "./cli-error.ts";
import type { CliProfileContext } from "./cli-context.ts";
import { addCredentialHint } from "./credential-hint.ts";
import { requireProfileCredential } from "./credentials.ts";
import { selectServiceUrlConfigByMethod, resolveCliServiceUrl } from "./server-url.ts";
import { createIdleTimeoutAgent, readIdleTimeoutMs } from "./silence.ts";

/** Larger than any answer of a server, which cannot fill the memory of its caller. */
export const maxCliResponseBytes = 64 * 1024 * 1024;

/**
 * Calls one method of the server; the answer is spelled as over REST. Rejects with a
 * `CliError`, also when the signal ends the call.
 */
export async function invokeServerRpc(
  method: DescMethodUnary,
  request: Message,
  caller: CliProfileContext,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const address = selectServiceUrlConfigByMethod(method);
  const url = resolveCliServiceUrl(address, caller);
  const credential = requireProfileCredential(method, url, caller);
  const headers = credential === undefined ? {} : { authorization: `Bearer ${credential.token}` };
  const transport = createConnectTransport({
    baseUrl: url.href,
    httpVersion: "1.1",
    readMaxBytes: maxCliResponseBytes,
    nodeOptions: {
      agent: createIdleTimeoutAgent(
        url,
        readIdleTimeoutMs(caller.environment, address.silentSeconds),
      ),
    },
  });
  try {
    const answer = await transport.unary(method, signal, undefined, headers, request);
    return toRestSpelling(method.output, answer.message);
  } catch (error) {
    const place = caller.environment[address.variable] || url.origin;
    const refused = { method, url, caller, credential };
    throw addCredentialHint(requestErrorToCliError(error, place, address.variable), refused);
  }
}

/** Over REST a `google.api.HttpBody` is its bytes alone, which are no JSON; here they are base64. */
function toRestSpelling(desc: DescMessage, message: Message): JsonObject {
  const isBody = desc.typeName === HttpBodySchema.typeName;
  return (isBody ? toJson(desc, message) : compileProtoJsonEncoder(desc)(message)) as JsonObject;
}
