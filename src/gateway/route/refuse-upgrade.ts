import type { IncomingHttpHeaders } from "node:http";
import { responsesSurface } from "../../dialect/responses/index.ts";
import { ApiError } from "../../platform/errors.ts";

/** What of a request that no route takes tells whether it is an upgrade. */
export interface UnroutedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

const path = `/v1${responsesSurface.path}`;

/**
 * The refusal of the responses dialect's WebSocket mode: clients that prefer it go on
 * over HTTP at once when they read 426 (RFC 9110, 15.5.22), and only after several
 * tries when they read anything else. Undefined: the request asks for something else.
 */
export function upgradeRefusal({ method, url, headers }: UnroutedRequest): ApiError | undefined {
  const [requested] = url.split("?", 1);
  const isUpgrade = isNamed(headers.connection, "upgrade") && isNamed(headers.upgrade, "websocket");
  if (method !== "GET" || requested !== path || !isUpgrade) return undefined;
  return new ApiError(
    "invalid_request",
    `Responses are not served over WebSocket here: send POST ${path}.`,
    { status: 426, headers: { upgrade: "HTTP/1.1", connection: "upgrade" } },
  );
}

/** Whether a header that lists words holds one of them, in whatever letters. */
function isNamed(list: string | undefined, word: string): boolean {
  const words = list?.toLowerCase().split(",") ?? [];
  return words.some((listed) => listed.trim() === word);
}
