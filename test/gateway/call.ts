import { request } from "undici";
import type { ModelApp } from "./model-app.ts";

/** The routes of conversations, by the dialect that their upstream speaks. */
export const routes = [
  { name: "chat", path: "/v1/chat/completions", upstreamPath: "/v1/chat/completions" },
  { name: "responses", path: "/v1/responses", upstreamPath: "/v1/responses" },
  { name: "messages", path: "/v1/messages", upstreamPath: "/v1/messages" },
] as const;

export type Route = (typeof routes)[number];

const embeddingsRoute = {
  name: "embeddings",
  path: "/v1/embeddings",
  upstreamPath: "/v1/embeddings",
} as const;

/** All model routes. */
export const modelRoutes = [...routes, embeddingsRoute] as const;

/** What came back from a call, read to its end. */
export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The body parsed; undefined when it is not JSON. */
  readonly body: unknown;
}

/** Posts to a model route with the app's key; `null` as a header value leaves the header out. */
export async function call(
  app: ModelApp,
  path: string,
  body: string | Buffer | Record<string, unknown>,
  headers: Record<string, string | null> = {},
): Promise<Reply> {
  const answer = await request(`${app.origin}${path}`, {
    method: "POST",
    headers: withDefaults(app, headers),
    body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, body: parse(text) };
}

function withDefaults(app: ModelApp, headers: Record<string, string | null>) {
  const all = {
    authorization: `Bearer ${app.token}`,
    "content-type": "application/json",
    ...headers,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parts of an error that all three dialects carry, wherever they put them. */
export interface ReadError {
  readonly code: unknown;
  readonly type: unknown;
  readonly message: string;
  readonly param: unknown;
  readonly requestId: unknown;
  readonly docUrl: unknown;
}

/** Reads an error body of any of the three dialects. */
export function readError(body: unknown): ReadError {
  const { error, request_id: outerId } = body as {
    error: Record<string, unknown> & { details?: Record<string, unknown> };
    request_id?: string;
  };
  const details = error.details ?? { ...error, error_code: error["code"] };
  return {
    code: details["error_code"],
    type: error["type"],
    message: String(error["message"]),
    param: details["param"],
    requestId: outerId ?? error["request_id"],
    docUrl: details["doc_url"],
  };
}

/** Adds an upstream for each dialect: `custom/acme` for chat, `custom/mess`, and a vendor for responses. */
export function addUpstreams(app: ModelApp, origin: string, { accountId } = app.principal): void {
  const baseUrl = new URL(`${origin}/v1`);
  app.addEndpoint({ accountId, slug: "acme", dialect: "dialect_chat", baseUrl });
  app.addEndpoint({ accountId, slug: "mess", dialect: "dialect_messages", baseUrl });
  app.addVendor({ id: "code", dialects: ["dialect_responses"], baseUrl });
}

/** A catalogue with the vendor that `addUpstreams` links. */
export const catalogue = {
  code: {
    label: "Code",
    baseUrl: "http://127.0.0.1:1/v1",
    dialects: ["dialect_responses"],
    auth: "bearer",
    models: ["code-large"],
  },
} as const;

/** The model that reaches the fake upstream on a route. */
export function modelFor({ name }: Pick<(typeof modelRoutes)[number], "name">): string {
  const chat = "custom/acme/m";
  return { chat, embeddings: chat, responses: "code/m", messages: "custom/mess/m" }[name];
}
