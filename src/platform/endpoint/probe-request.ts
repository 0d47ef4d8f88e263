import type { Dispatcher } from "undici";
import { readBytesWithinLimit } from "../byte-collector.ts";
import { classifyDialFailure, type DialFailure } from "../dial/dial-failure.ts";
import type { Dialer } from "../dial/dialer.ts";

/**
 * Why a probe failed: a fixed vocabulary, so that a probe tells nothing of what a
 * stranger's server said.
 */
export type EndpointProbeFailure =
  | Exclude<DialFailure, "reset">
  | "redirect"
  | `http_${number}`
  | "not_json"
  | "too_large";

/** One request of a probe. */
export interface EndpointProbeRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; absent: GET. */
  readonly body?: unknown;
}

/** What came back: a fault, or the status and the JSON of an answer below 300. */
export type EndpointProbeResponse =
  | { readonly fault: EndpointProbeFailure; readonly json?: undefined }
  | { readonly fault?: undefined; readonly json: unknown };

const maxBodyBytes = 1024 * 1024;

/**
 * Sends one request of a probe and reads its answer as JSON of at most one
 * mebibyte. Redirects are not followed. Never rejects.
 */
export async function sendEndpointProbe(
  dialer: Dialer,
  poolKey: string,
  request: EndpointProbeRequest,
  signal: AbortSignal,
): Promise<EndpointProbeResponse> {
  try {
    const response = await dialer.dispatcher(poolKey).request(dispatchOptions(request, signal));
    return await readResponse(response);
  } catch (error) {
    return { fault: errorOf(error) };
  }
}

function dispatchOptions({ url, headers, body }: EndpointProbeRequest, signal: AbortSignal) {
  const common = { origin: url.origin, path: url.pathname, signal };
  if (body === undefined) return { ...common, method: "GET", headers };
  return {
    ...common,
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function readResponse({
  statusCode,
  body,
}: Dispatcher.ResponseData): Promise<EndpointProbeResponse> {
  if (statusCode >= 300) {
    // Nothing of it is wanted; the listener takes the error of ending it early.
    body.on("error", () => {}).destroy();
    return { fault: statusCode < 400 ? "redirect" : `http_${statusCode}` };
  }
  const bytes = await readBytesWithinLimit(body, maxBodyBytes);
  return bytes === undefined ? { fault: "too_large" } : parseJson(bytes.toString());
}

function parseJson(text: string): EndpointProbeResponse {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { fault: "not_json" };
  }
}

/** A reset, or an answer that is not HTTP, is a connection that did not come about. */
function errorOf(error: unknown): EndpointProbeFailure {
  const failure = classifyDialFailure(error) ?? "connect";
  return failure === "reset" ? "connect" : failure;
}
