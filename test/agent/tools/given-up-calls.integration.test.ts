/** Servers of the 2025 revisions are notified of calls that are given up (docs/agent-tools.md). */
import { describe, expect, it } from "vitest";
import { defaultMcpServerLimits } from "../../../src/agent/tools/mcp/mcp-connection.ts";
import {
  startHostileServer,
  startLegacyServer,
  startStatelessServer,
  type ServedTools,
  type WatchedServer,
} from "./mcp-servers.ts";
import { mcpItem, openToolbox } from "./open-toolbox.ts";

/** A tool that never answers, and when it was called. */
interface SilentTool {
  readonly tools: ServedTools;
  readonly called: Promise<void>;
}

function silentTool(): SilentTool {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const call = () => {
    resolve();
    return new Promise<never>(() => undefined);
  };
  return { called, tools: { tools: [{ name: "act" }], call } };
}

/** A server that answers in JSON and keeps no session, written without an SDK. */
function startPlainServer({ call }: ServedTools): Promise<WatchedServer> {
  return startHostileServer({ "tools/call": () => void call({ name: "act" }, undefined) });
}

describe.each([
  ["the official server with sessions", startLegacyServer],
  ["the official server without sessions", startStatelessServer],
  ["a plain server that answers in JSON", startPlainServer],
])("%s", (_name, start) => {
  it("is sent `notifications/cancelled` when the call is cancelled", async () => {
    const { tools, called } = silentTool();
    const server = await start(tools);
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    const abort = new AbortController();
    const result = box.call(outfit, "act", { signal: abort.signal });
    await called;
    abort.abort(new Error("cancelled"));
    await expect(result).rejects.toThrow("cancelled");
    await expectCancelled(server);
  });

  it("is sent `notifications/cancelled` when the call takes too long", async () => {
    const { tools } = silentTool();
    const server = await start(tools);
    const limits = { ...defaultMcpServerLimits, call: { ...defaultMcpServerLimits.call, ms: 200 } };
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] }, { limits });
    expect(await box.call(await box.outfit(), "act")).toMatchObject({ isError: true });
    await expectCancelled(server);
  });
});

it("a server is sent `notifications/cancelled` when it asks for input during a call", async () => {
  const question = { jsonrpc: "2.0", id: 99, method: "elicitation/create", params: {} };
  const server = await startHostileServer({
    "tools/call": (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(question)}\n\n`);
    },
  });
  const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
  expect(await box.call(await box.outfit(), "act")).toMatchObject({ isError: true });
  await expectCancelled(server);
});

/** Waits until the server has received the notification, for its one tool call. */
async function expectCancelled(server: WatchedServer): Promise<void> {
  await server.received("notifications/cancelled");
  const bodies = server.requests.map(({ body }) => JSON.parse(body || "{}"));
  const { id } = bodies.find(({ method }) => method === "tools/call");
  const notice = bodies.find(({ method }) => method === "notifications/cancelled");
  expect(notice.params.requestId).toBe(id);
}
