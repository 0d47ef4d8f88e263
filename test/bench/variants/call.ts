import type { UpstreamKind } from "../upstream/mock-upstream.ts";
import { dialects, type DialectName } from "../wire/dialects.ts";
import { postRequest } from "../wire/http-text.ts";

/** A kind of call that a case makes. */
export interface Call {
  /** The dialect the caller speaks. */
  readonly dialect: DialectName;
  /** The dialect of the upstream; another than the caller's asks a gateway to transcode. */
  readonly upstreamDialect: DialectName;
  readonly upstream: UpstreamKind;
  /** Size of the request body. */
  readonly bytes: number;
  /** Length of the answer where it is streamed. */
  readonly maxTokens: number;
  /** Paid from the caller's wallet, where a server knows wallets. */
  readonly isPaid?: boolean;
}

/** Where and as whom a call is sent. */
export interface Endpoint {
  readonly port: number;
  /** Prefix of the dialect's path, `/v1` for example. */
  readonly basePath: string;
  readonly model: string;
  /** Caller key. */
  readonly key: string;
}

/** The whole request of a call to an endpoint, as bytes on the wire. */
export function requestText(call: Call, endpoint: Endpoint): string {
  const traffic = dialects[call.dialect];
  const body = traffic.requestBody({
    model: endpoint.model,
    bytes: call.bytes,
    stream: call.upstream === "streams",
    maxTokens: call.maxTokens,
  });
  const headers = {
    host: `127.0.0.1:${endpoint.port}`,
    accept: "application/json",
    "user-agent": "causeway-bench",
    ...traffic.credential(endpoint.key),
  };
  return postRequest(endpoint.basePath + traffic.path, headers, body);
}
