import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { basename } from "node:path/posix";
import { text } from "node:stream/consumers";
import { asObject, type JsonObject } from "../../../src/dialect/json.ts";
import type { Violation } from "./violation.ts";
import { Memory } from "./memory.ts";
import { replyTo } from "./reply.ts";
import { surfaces } from "./surfaces.ts";

/** A call that the double has answered. */
export interface StrictExchange {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** The body with what was kept in the place of what it refers to. */
  readonly recalled: JsonObject;
  /** Empty: it was taken. */
  readonly faults: readonly Violation[];
}

/**
 * A model server of all three dialects, not yet listening: as strict as the vendors
 * are (roles, pairs of calls and results, signatures, unknown fields, names,
 * budgets) with their 400s, with a memory of what it has answered, and with a simple model that obeys its prompts
 * (`reply.ts`). `heard` is told of every call.
 */
export function createStrictUpstream(heard: (exchange: StrictExchange) => void = () => {}): Server {
  const memory = new Memory();
  return createServer((request, response) => {
    serve(request, response, heard, memory).catch((error: unknown) => {
      sendJson(response, 500, { error: { message: String(error), type: "server_error" } });
    });
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  heard: (exchange: StrictExchange) => void,
  memory: Memory,
): Promise<void> {
  const { pathname: path } = new URL(request.url ?? "/", "http://localhost");
  const { headers } = request;
  if (path.endsWith("/models")) return sendJson(response, 200, modelList);
  const kept = request.method === "GET" ? memory.answers.get(basename(path)) : undefined;
  if (kept !== undefined) return sendJson(response, 200, kept);
  const surface = surfaces.get(path.replace(/^\/v1/, ""));
  if (surface === undefined || request.method !== "POST") return sendJson(response, 404, notFound);
  const asked = parsed(await text(request));
  const betas = betasOf(headers);
  const body = surface.recall?.(asked ?? {}, memory, betas) ?? asked ?? {};
  const faults = asked === undefined ? [noJson] : surface.faults(body, betas);
  heard({ path, headers, body: asked ?? {}, recalled: body, faults });
  const [fault] = faults;
  if (asked === undefined || fault !== undefined) {
    return sendJson(response, 400, surface.refusal(fault ?? noJson));
  }
  const reply = { ...replyTo(surface.read(body)), cached: memory.prompts.read(promptOf(body)) };
  const answer = surface.answer(body, reply, asked);
  surface.keep?.(asked, body, answer, memory);
  if (body["stream"] !== true) return sendJson(response, 200, answer);
  sendFrames(response, surface.frames(answer, body, reply));
}

/** As the vendors order it; a key of the caller's keeps prompts apart. */
function promptOf(body: JsonObject): unknown {
  return [
    body["prompt_cache_key"],
    body["system"] ?? body["instructions"],
    body["messages"] ?? body["input"],
  ];
}

const modelList = {
  object: "list",
  data: [{ id: "strict", object: "model", created: 1_790_000_000, owned_by: "double" }],
};
const notFound = { error: { message: "Not found.", type: "invalid_request_error" } };
const noJson: Violation = { path: "", message: "The body is no JSON object." };

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

function sendFrames(response: ServerResponse, frames: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const frame of frames) response.write(frame);
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
