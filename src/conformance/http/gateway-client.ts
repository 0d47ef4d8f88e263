import { readBodyBytesOrThrow } from "../../platform/read-body-bytes.ts";

/** The gateway that is scored. */
export interface ConformanceGatewayOptions {
  /** Without `/v1` at its end. */
  readonly baseUrl: URL;
  readonly key: string;
  /** The whole answer must have come by then. */
  readonly timeoutMs: number;
}

/** An answer, read to its end. */
export interface TestedGatewayResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body is UTF-8 throughout. */
  readonly isText: boolean;
  /** The body parsed; undefined when it is no JSON. */
  readonly body: unknown;
}

/** The gateway gave no answer, or not all of one. */
export class NoGatewayResponseError extends Error {
  override readonly name = "NoGatewayResponseError";
}

export interface ConformanceHttpRequest {
  readonly path: string;
  /** Absent: GET. Text is sent as it is. */
  readonly body?: object | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** More than an answer to a short question has. */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * Sends one request and reads the whole answer. Redirects are not followed: the
 * key goes to the address that was given and nowhere else. Throws `NoGatewayResponseError`.
 */
export async function sendConformanceHttpRequest(
  { baseUrl, timeoutMs }: ConformanceGatewayOptions,
  { path, body, headers }: ConformanceHttpRequest,
): Promise<TestedGatewayResponse> {
  try {
    const answer = await fetch(`${baseUrl.href.replace(/\/$/, "")}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const bytes = await readBodyBytesOrThrow(answer.body, maxAnswerBytes);
    return { status: answer.status, headers: answer.headers, ...readBytes(bytes) };
  } catch (error) {
    throw new NoGatewayResponseError(explain(error, timeoutMs));
  }
}

function readBytes(bytes: Uint8Array): Pick<TestedGatewayResponse, "text" | "isText" | "body"> {
  const text = new TextDecoder().decode(bytes);
  return { text, isText: isUtf8(bytes), body: parse(text) };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no whole answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
