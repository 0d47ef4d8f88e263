import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Returns the response that an HTTP/1.1 connection sends now. Node has it at `_httpMessage` alone. */
export function findInFlightHttpResponse(
  socket: Socket & { _httpMessage?: ServerResponse | null },
): ServerResponse | undefined {
  // oxlint-disable-next-line no-underscore-dangle
  return socket._httpMessage ?? undefined;
}
