import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { JsonObject } from "@bufbuild/protobuf";
import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { callError } from "../call-error.ts";
import type { Caller } from "../caller.ts";
import { refusalIn } from "../chat/refusal-in.ts";
import { withHint } from "../credential-hint.ts";
import { credentialForCall, type Credential } from "../credentials.ts";
import { gateway, plainAddress, serverUrl } from "../server-url.ts";

const method = DocumentService.method.learnService;

/** Posts a HAR document; resolves with what the server then knows of the service, rejects with a `CallError`. */
export type PostTraffic = (har: Buffer) => Promise<JsonObject>;

/**
 * Posts traffic of a service over REST. Unlike `call` and `fetch` it sends the bytes as they
 * lie in memory: each copy would stay there until tens of megabytes of them have gathered.
 */
export function postTraffic(serviceId: string, caller: Caller): PostTraffic {
  const server = serverUrl(gateway, caller);
  const credential = credentialForCall(method, server, caller);
  const place = caller.environment[gateway.variable] || server.origin;
  const path = `/v1/admin/services/${encodeURIComponent(serviceId)}/traffic`;
  const url = new URL(`${plainAddress(server)}${path}`);
  return async (har) => {
    const answer = await post(url, credential, har).catch((error: unknown) => {
      throw callError(error, place, gateway.variable);
    });
    if (answer.ok) return (await answer.json()) as JsonObject;
    const refusal = await refusalIn(answer, place, gateway.variable);
    throw withHint(refusal, { method, url: server, caller, credential });
  };
}

async function post(url: URL, credential: Credential | undefined, body: Buffer): Promise<Response> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "content-length": body.length,
      ...(credential && { authorization: `Bearer ${credential.token}` }),
    },
  });
  request.end(body);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  return new Response(await text(answer), { status: answer.statusCode ?? 500 });
}
