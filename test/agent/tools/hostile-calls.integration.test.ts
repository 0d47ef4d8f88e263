/** Answers of MCP servers that nobody vouches for: they cost little and harm nobody (docs/agent-tools.md). */
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { events, hangingMs, json, toolsetWith, pour, type Answers } from "./hostile-results.ts";
import {
  sendResult,
  startLegacyServer,
  startHostileServer,
  startModernServer,
  textResult,
} from "./mcp-servers.ts";
import { mcpItem, openToolbox, textOf } from "./open-toolbox.ts";

const mebibyte = 1024 * 1024;
const hanging = "did not answer in time";

describe("a call", () => {
  it.each<[string, Answers, string]>([
    ["that hangs", { "tools/call": () => undefined }, hanging],
    [
      "that is no JSON",
      { "tools/call": (response) => json(response, "[".repeat(1000)) },
      "answered with something that is not MCP",
    ],
    [
      "of another content type",
      {
        "tools/call": (response) =>
          void response.writeHead(200, { "content-type": "text/plain" }).end("x"),
      },
      "answered with something that is not MCP",
    ],
    [
      "with more pings than are answered",
      {
        "tools/call": (response, id) => {
          const pings = Array.from({ length: 17 }, (_, number) =>
            JSON.stringify({ jsonrpc: "2.0", id: `ping${number}`, method: "ping" }),
          );
          const result = JSON.stringify({ jsonrpc: "2.0", id, result: textResult("done") });
          events(response).end([...pings, result].map((data) => `data: ${data}\n\n`).join(""));
        },
      },
      "sent more messages than are read",
    ],
    [
      "whose stream ends before its answer",
      { "tools/call": (response) => void events(response).end(": nothing\n\n") },
      "ended its answer before it was whole",
    ],
    [
      "that is cut off",
      {
        "tools/call": (response) => {
          response.writeHead(200, { "content-type": "application/json", "content-length": "9" });
          response.write("{", () => response.destroy());
        },
      },
      "answered with something that is not MCP",
    ],
    [
      "that redirects",
      {
        "tools/call": (response) =>
          void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      },
      "answered with a redirect, which is not followed",
    ],
    [
      "that asks the person",
      {
        "tools/call": (response) => {
          const params = {
            message: "Password?",
            requestedSchema: { type: "object", properties: {} },
          };
          const ask = { jsonrpc: "2.0", id: "a", method: "elicitation/create", params };
          events(response).write(`data: ${JSON.stringify(ask)}\n\n`);
        },
      },
      "asked for something in return, which cannot be given here",
    ],
    [
      "that asks the model",
      {
        "tools/call": (response) => {
          const ask = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} };
          events(response).write(`data: ${JSON.stringify(ask)}\n\n`);
        },
      },
      "asked for something in return, which cannot be given here",
    ],
    [
      "whose answer asks for input",
      {
        "tools/call": (response, id) =>
          sendResult(response, id, { resultType: "input_required", requestState: "s" }),
      },
      "asked for something in return, which cannot be given here",
    ],
    [
      "that notifies for ever",
      {
        "tools/call": (response) => {
          const note = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n';
          pour(events(response), "", note);
        },
      },
      "sent more messages than are read",
    ],
  ])("[agent.tools-time] [agent.tools-asking] %s is a tool error", async (_name, answers, said) => {
    const hostile = await startHostileServer(answers);
    const ms = said === hanging ? hangingMs : undefined;
    const { box } = await toolsetWith(hostile, ms);
    const before = process.cpuUsage();
    const result = await box.call(await box.outfit(), "act");
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      `The MCP server \`hostile\` ${said}${said.endsWith("MCP") ? " over streamable HTTP" : ""}.`,
    );
    await hostile.allClosed(hostile.connections());
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      "in one piece",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        pour(response, '{"result":{"content":[{"type":"text","text":"', "x".repeat(1e5));
      },
    ],
    [
      "as an event",
      (response) => {
        const head = 'event: message\ndata: {"result":{"content":[{"type":"text","text":"';
        pour(events(response), head, "x".repeat(1e5));
      },
    ],
  ])(
    "[agent.tools-results] whose answer %s never ends is cut at 256 KiB, with a note",
    async (_name, answer) => {
      const hostile = await startHostileServer({ "tools/call": answer });
      const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
      const result = await box.call(await box.outfit(), "act");
      expect(result).toMatchObject({ isError: false });
      expect(result.output.map((part) => part["text"])).toEqual([
        "x".repeat(256 * 1024),
        expect.stringContaining("what comes beyond 256 KiB is left out"),
      ]);
      await hostile.allClosed(hostile.connections());
    },
  );

  it("is over with its answer, whatever the server would send behind it", async () => {
    const hostile = await startHostileServer({
      "tools/call": (response, id) => {
        const answer = { jsonrpc: "2.0", id, result: textResult("done") };
        events(response).write(`data: ${JSON.stringify(answer)}\n\n`);
      },
    });
    const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
    expect(textOf(await box.call(await box.outfit(), "act"))).toBe("done");
    await hostile.allClosed(hostile.connections());
  });

  it("holds little memory, whatever comes", async () => {
    const hostile = await startHostileServer({
      "tools/call": (response, id) =>
        json(
          response,
          `{"jsonrpc":"2.0","id":${id},"result":{"content":[${"{},".repeat(300_000)}{}]}}`,
        ),
    });
    const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
    const outfit = await box.outfit();
    const [before, memory] = [process.cpuUsage(), process.memoryUsage().rss];
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        box.call(outfit, "act", { callName: `turn_1/1/${index}` }),
      ),
    );
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
    expect(process.memoryUsage().rss - memory).toBeLessThan(400 * mebibyte);
    for (const result of results)
      expect(textOf(result)).toMatch(/^\[The tool answered with content of a kind/);
  });

  it("[agent.tools-called] is not made again when nobody knows whether the server has acted", async () => {
    let acted = 0;
    const hostile = await startHostileServer({
      "tools/call": (response) => {
        acted += 1;
        response.destroy();
      },
    });
    const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
    expect(textOf(await box.call(await box.outfit(), "act"))).toBe(
      "The MCP server `mcp` broke the connection off.",
    );
    await delay(50);
    expect(acted).toBe(1);
  });

  it("in sessions that are forgotten again and again ends as a tool error", async () => {
    const server = await startLegacyServer({
      tools: [{ name: "act" }],
      call: () => textResult("x"),
    });
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    await box.call(outfit, "act");
    const forget = setInterval(() => server.sessions.clear(), 1);
    const result = await box.call(outfit, "act");
    clearInterval(forget);
    expect(textOf(result)).toMatch(/^x$|answered with an error \(HTTP 404\)/);
  });

  it("tells nobody the headers of the item, whatever the tool answers", async () => {
    const server = await startModernServer({
      tools: [{ name: "act" }],
      call: () => textResult("You sent Bearer s3cret-token, and s3cret-token again."),
    });
    const headers = { authorization: "Bearer s3cret-token" };
    const box = openToolbox({ mcpServers: [mcpItem(server.url, { headers })] });
    expect(textOf(await box.call(await box.outfit(), "act"))).toBe(
      "You sent [redacted], and [redacted] again.",
    );
  });

  it.each(["[1]", "x", '"a"', "{"])("with the arguments %s is not made", async (input) => {
    const server = await startModernServer({
      tools: [{ name: "act" }],
      call: () => textResult("x"),
    });
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    const before = server.requests.length;
    expect(await box.call(outfit, "act", { input })).toMatchObject({ isError: true });
    expect(server.requests.length).toBe(before);
  });
});
