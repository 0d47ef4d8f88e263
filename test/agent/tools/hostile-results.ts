import type { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { expect } from "vitest";
import { defaultMcpServerLimits } from "../../../src/agent/tools/mcp/mcp-connection.ts";
import {
  startModernServer,
  textResult,
  type startHostileServer,
  type WatchedServer,
} from "./mcp-servers.ts";
import { mcpItem, openToolbox, textOf } from "./open-toolbox.ts";

export type Answers = Parameters<typeof startHostileServer>[0];

/** Answers with an endless body until the other end has enough. */
export function pour(response: ServerResponse, head: string, chunk: string): void {
  pipeline(Readable.from(endless(head, chunk)), response, () => undefined);
}

function* endless(head: string, chunk: string): Iterable<string> {
  yield head;
  for (;;) yield chunk;
}

export function json(response: ServerResponse, body: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(body);
}

export function events(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

/** Milliseconds after which a server that hangs is given up. The other one must answer by then. */
export const hangingMs = 2000;

/** What the tools of a well-behaved server beside it are, and what is said of the hostile one. */
export async function toolsetWith(hostile: WatchedServer, ms = 20_000) {
  const { initialize, call } = defaultMcpServerLimits;
  const limits = { initialize: { ...initialize, ms }, call: { ...call, ms } };
  const good = await startModernServer({ tools: [{ name: "fine" }], call: () => textResult("ok") });
  const items = [mcpItem(hostile.url, { name: "hostile" }), mcpItem(good.url, { name: "good" })];
  const box = openToolbox({ mcpServers: items }, { limits });
  const outfit = await box.outfit();
  expect(textOf(await box.call(outfit, "fine"))).toBe("ok");
  return { box, names: outfit.tools.map(({ name }) => name), note: outfit.instructions.join("\n") };
}
