import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { asObject, type JsonObject } from "../../../src/dialect/json.ts";
import type { Fault } from "./fault.ts";
import { replyTo } from "./reply.ts";
import { surfaces, type Surface } from "./surfaces.ts";

/** A call that the double has answered. */
export interface StrictExchange {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** Empty: it was taken. */
  readonly faults: readonly Fault[];
}

/**
 * A model server of all three dialects, not yet listening: as strict as the vendors
 * are (roles, pairs of calls and results, signatures, unknown fields, names,
 * budgets) with their 400s, and with a simple model that obeys its prompts
 * (`reply.ts`). `heard` is told of every call.
 */
export function createStrictUpstream(heard: (exchange: StrictExchange) => void = () => {}): Server {
  return createServer((request, response) => {
    serve(request, response, heard).catch((error: unknown) => {
      sendJson(response, 500, { error: { message: String(error), type: "server_error" } });
    });
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  heard: (exchange: StrictExchange) => void,
): Promise<void> {
  const { pathname: path } = new URL(request.url ?? "/", "http://localhost");
  const { headers } = request;
  if (path.endsWith("/models")) return sendJson(response, 200, modelList);
  const surface = surfaces.get(path.replace(/^\/v1/, ""));
  if (surface === undefined || request.method !== "POST") return sendJson(response, 404, notFound);
  const body = parsed(await text(request));
  const faults = body === undefined ? [noJson] : surface.faults(body, betasOf(headers));
  heard({ path, headers, body: body ?? {}, faults });
  const [fault] = faults;
  if (body === undefined || fault !== undefined) {
    return sendJson(response, 400, surface.refusal(fault ?? noJson));
  }
  answer(response, surface, body);
}

const modelList = {
  object: "list",
  data: [{ id: "strict", object: "model", created: 1_790_000_000, owned_by: "double" }],
};
const notFound = { error: { message: "Not found.", type: "invalid_request_error" } };
const noJson: Fault = { path: "", message: "The body is no JSON object." };

function betasOf(headers: IncomingMessage["headers"]): string {
  return headers["anthropic-beta"]?.toString() ?? "";
}

function parsed(body: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, surface: Surface, body: JsonObject): void {
  const reply = replyTo(surface.read(body));
  if (body["stream"] !== true) return sendJson(response, 200, surface.answer(body, reply));
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const frame of surface.frames(body, reply)) response.write(frame);
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
