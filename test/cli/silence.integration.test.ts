import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ListItemsRequestSchema, ItemService } from "../../gen/ts/causeway/item/v1/item_pb.ts";
import { invokeServerRpc } from "../../src/cli/invoke-method.ts";
import { CliModelClient } from "../../src/cli/chat/model-client.ts";
import { createHarPoster } from "../../src/cli/services/post-traffic.ts";
import { readIdleTimeoutMs } from "../../src/cli/silence.ts";
import { startLoopbackServer, type LoopbackServer } from "../support/loopback-server.ts";

const silent = /sent nothing for [\d.]+ s; CAUSEWAY_TIMEOUT=<seconds>/;

function callerOf({ origin }: LoopbackServer, timeout = "0.1") {
  const environment = {
    CAUSEWAY_URL: origin,
    CAUSEWAY_TOOLS_URL: origin,
    CAUSEWAY_KEY: "cwk_a",
    CAUSEWAY_ADMIN_TOKEN: "cwa_a",
    CAUSEWAY_TIMEOUT: timeout,
  };
  return { environment, profile: undefined };
}

const { signal } = new AbortController();

describe("a call of a server that accepts it and sends nothing", () => {
  it.each<[string, (server: LoopbackServer) => Promise<unknown>]>([
    [
      "a method",
      (server) =>
        invokeServerRpc(
          ItemService.method.listItems,
          create(ListItemsRequestSchema),
          callerOf(server),
        ),
    ],
    ["traffic", (server) => createHarPoster("crm", callerOf(server))(Buffer.from("{}"))],
    ["a chat", (server) => new CliModelClient(callerOf(server)).begin({}, undefined, signal)],
  ])("ends with an error that says what to do: %s", async (_what, begin) => {
    const server = await startLoopbackServer((request) => request.resume());
    await expect(begin(server)).rejects.toThrow(silent);
    await expect(begin(server)).rejects.toThrow("causeway serve");
  });

  it("ends when a chat is silent in its middle", async () => {
    const server = await startLoopbackServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"type":"a"}\n\n');
    });
    const { events } = await new CliModelClient(callerOf(server, "2")).begin({}, undefined, signal);
    const seen: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const event of events) seen.push(event);
    };
    await expect(read()).rejects.toThrow(silent);
    expect(seen).toEqual([{ type: "a" }]);
  });

  it("goes on for as long as a chat has pieces", async () => {
    const server = await startLoopbackServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let count = 0; count < 3; count += 1) response.write('data: {"type":"a"}\n\n');
      response.end();
    });
    const { events } = await new CliModelClient(callerOf(server, "60")).begin(
      {},
      undefined,
      signal,
    );
    const seen: unknown[] = [];
    for await (const event of events) seen.push(event);
    expect(seen).toHaveLength(3);
  });
});

describe("the longest silence", () => {
  it.each(["0", "-1", "x", "1000"])("is not %j", (text) => {
    expect(() => readIdleTimeoutMs({ CAUSEWAY_TIMEOUT: text }, 60)).toThrow(
      "CAUSEWAY_TIMEOUT: must be",
    );
  });

  it("is a minute by itself", () => {
    expect(readIdleTimeoutMs({}, 60)).toBe(60_000);
  });
});
