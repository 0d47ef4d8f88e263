import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { readBodyBytesOrThrow } from "../../platform/read-body-bytes.ts";
import { maxCliResponseBytes } from "../invoke-method.ts";
import { requestErrorToCliError, notCausewayServerError } from "../cli-error.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { errorResponseToCliError } from "../chat/parse-error-body.ts";
import { addCredentialHint } from "../credential-hint.ts";
import { requireProfileCredential, type CliCredential } from "../credentials.ts";
import {
  cliGatewayUrlConfig,
  formatUrlWithoutTrailingSlash,
  resolveCliServiceUrl,
} from "../server-url.ts";
import { CliServerIdleTimeoutError, readIdleTimeoutMs } from "../silence.ts";

const method = DocumentService.method.learnService;

/** Posts a HAR document; resolves with what the server then knows of the service, rejects with a `CliError`. */
export type HarPoster = (har: Buffer) => Promise<JsonObject>;

/**
 * Posts traffic of a service over REST. Unlike `call` and `fetch` it sends the bytes as they
 * lie in memory: each copy would stay there until tens of megabytes of them have gathered.
 */
export function createHarPoster(serviceId: string, caller: CliProfileContext): HarPoster {
  const server = resolveCliServiceUrl(cliGatewayUrlConfig, caller);
  const credential = requireProfileCredential(method, server, caller);
  const place = caller.environment[cliGatewayUrlConfig.variable] || server.origin;
  const path = `/v1/admin/services/${encodeURIComponent(serviceId)}/traffic`;
  const limitMs = readIdleTimeoutMs(caller.environment, cliGatewayUrlConfig.silentSeconds);
  const url = new URL(`${formatUrlWithoutTrailingSlash(server)}${path}`);
  return async (har) => {
    const answer = await post(url, { credential, limitMs }, har).catch((error: unknown) => {
      throw requestErrorToCliError(error, place, cliGatewayUrlConfig.variable);
    });
    if (answer.ok) {
      const service = objectIn(await answer.text());
      if (service !== undefined) return service;
      throw notCausewayServerError(
        place,
        "its answer is not a JSON object",
        cliGatewayUrlConfig.variable,
      );
    }
    const refusal = await errorResponseToCliError(answer, place, cliGatewayUrlConfig.variable);
    throw addCredentialHint(refusal, { method, url: server, caller, credential });
  };
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isProtobufJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface PostOptions {
  readonly credential: CliCredential | undefined;
  /** Longest silence of the server. */
  readonly limitMs: number;
}

async function post(
  url: URL,
  { credential, limitMs }: PostOptions,
  body: Buffer,
): Promise<Response> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "content-length": body.length,
      ...(credential && { authorization: `Bearer ${credential.token}` }),
    },
  });
  request.setTimeout(limitMs, () => request.destroy(new CliServerIdleTimeoutError(limitMs)));
  request.end(body);
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  return new Response(await readBodyBytesOrThrow(answer, maxCliResponseBytes), {
    status: answer.statusCode ?? 500,
  });
}
