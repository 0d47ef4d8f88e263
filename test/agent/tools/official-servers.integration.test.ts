/** Official MCP servers of both generations, as agents use them (docs/agent-tools.md). */
import { describe, expect, it } from "vitest";
import {
  startLegacyServer,
  startModernServer,
  textResult,
  type ServedCall,
  type ServedTools,
} from "./mcp-servers.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { mcpItem, openToolbox, receiver, textOf } from "./open-toolbox.ts";

const echo: ServedTools = {
  tools: [
    {
      name: "echo",
      description: "Says it again.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      annotations: { readOnlyHint: true },
    },
    { name: "act", title: "Acts" },
  ],
  call: ({ name, arguments: input, _meta }: ServedCall) =>
    textResult(JSON.stringify({ name, input, call: _meta?.["causeway/call"] })),
};

describe.each([
  ["of the 2026 revision", startModernServer],
  ["of 2025", startLegacyServer],
])("a server %s", (_generation, start) => {
  it("has its tools offered and called, with the headers of its item and the name of the call", async () => {
    const server = await start(echo);
    const headers = { authorization: "Bearer s3cret-token" };
    const box = openToolbox({
      mcpServers: [mcpItem(server.url, { name: "Test server", headers })],
    });
    const outfit = await box.outfit();
    expect(outfit).toMatchObject({
      instructions: [],
      tools: [
        { name: "act", description: "Acts", source: { kind: "mcp", mayRepeat: false } },
        {
          name: "echo",
          description: "Says it again.",
          parameters: { type: "object", properties: { text: { type: "string" } } },
          source: { server: "Test_server", tool: "echo", mayRepeat: true, needsApproval: false },
        },
      ],
    });
    const result = await box.call(outfit, "echo", {
      input: { text: "hi" },
      callName: "turn_1/3/2",
    });
    const told = { name: "echo", input: { text: "hi" }, call: "turn_1/3/2" };
    expect(result).toEqual({
      output: [{ type: "input_text", text: JSON.stringify(told) }],
      isError: false,
    });
    expect(new Set(server.requests.map((request) => request.headers["authorization"]))).toEqual(
      new Set(["Bearer s3cret-token"]),
    );
  });

  it("that fails a call tells the model so", async () => {
    const failing = { ...echo, call: () => ({ ...textResult("No such city."), isError: true }) };
    const server = await start(failing);
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    expect(await box.call(await box.outfit(), "act")).toEqual({
      output: [{ type: "input_text", text: "No such city." }],
      isError: true,
    });
  });

  it("that throws refuses the call, in one line without its secrets and addresses", async () => {
    const throwing = {
      ...echo,
      call: () => {
        throw new Error("s3cret-token was refused by http://10.0.0.1:5432/db\n  at x");
      },
    };
    const server = await start(throwing);
    const headers = { "x-key": "s3cret-token" };
    const box = openToolbox({ mcpServers: [mcpItem(server.url, { headers })] });
    const { output, isError } = await box.call(await box.outfit(), "act");
    const text = String(output[0]?.["text"]);
    expect(isError).toBe(true);
    expect(text).not.toMatch(/s3cret|10\.0\.0\.1|\n/);
    expect(text).toMatch(
      /^The MCP server `mcp` refused the call\. It says: .*\[redacted\] was refused by/,
    );
  });

  it("[agent.tools-called] has its connections closed at once when the call is aborted", async () => {
    const called = Promise.withResolvers<void>();
    const hanging = {
      ...echo,
      call: () => {
        called.resolve();
        return new Promise<never>(() => undefined);
      },
    };
    const server = await start(hanging);
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    const abort = new AbortController();
    const result = box.call(outfit, "act", { signal: abort.signal });
    await called.promise;
    const before = performance.now();
    abort.abort(new Error("cancelled"));
    await expect(result).rejects.toThrow("cancelled");
    await server.allClosed(server.connections());
    expect(performance.now() - before).toBeLessThan(1000);
  });
});

describe("a server with sessions", () => {
  it("is told that a call is given up", async () => {
    const called = Promise.withResolvers<void>();
    const hanging = {
      ...echo,
      call: () => {
        called.resolve();
        return new Promise<never>(() => undefined);
      },
    };
    const server = await startLegacyServer(hanging);
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    const abort = new AbortController();
    const result = box.call(outfit, "act", { signal: abort.signal });
    await called.promise;
    abort.abort(new Error("cancelled"));
    await expect(result).rejects.toThrow("cancelled");
    await server.received("notifications/cancelled");
  });

  it("has one for all calls of a turn, another for another turn, and is told when they end", async () => {
    const server = await startLegacyServer({
      ...echo,
      call: (_params, id) => textResult(id ?? ""),
    });
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    const session = async (callName: string) => textOf(await box.call(outfit, "act", { callName }));
    const first = await session("turn_1/1/1");
    expect(await session("turn_1/2/1")).toBe(first);
    const second = await session("turn_2/1/1");
    expect(second).not.toBe(first);
    box.toolbox.endTurn("turn_1");
    await waitUntil(() => !server.sessions.has(first));
    expect([...server.sessions.keys()]).toEqual([second]);
    await box.toolbox.close();
    expect(server.sessions.size).toBe(0);
  });

  it("that has forgotten one is greeted again, and the call is made in the new one", async () => {
    const seen: string[] = [];
    const server = await startLegacyServer({
      ...echo,
      call: (_params, id) => {
        seen.push(id ?? "");
        return textResult("done");
      },
    });
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    await box.call(outfit, "act");
    server.sessions.clear();
    expect(await box.call(outfit, "act")).toMatchObject({ isError: false });
    expect(new Set(seen).size).toBe(2);
  });
});

describe("what a server lists", () => {
  it("is asked for once as long as the server says, and for each account by itself", async () => {
    let now = Date.now();
    const server = await startModernServer(echo, { ttlMs: 60_000 });
    const clock = { now: () => now };
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] }, { clock });
    const listed = () => server.requests.filter(({ body }) => body.includes("tools/list")).length;
    expect([await box.outfit(), listed()]).toEqual([await box.outfit(), 1]);
    const other = { accountId: "team_1", userId: "user_2" };
    await box.toolbox.buildToolset(other, [], new AbortController().signal);
    expect(listed()).toBe(2);
    now += 60_001;
    await box.outfit();
    expect(listed()).toBe(3);
  });

  it("[agent.tools-limited] is limited to the tools that its item names", async () => {
    const server = await startModernServer(echo);
    const box = openToolbox({
      mcpServers: [mcpItem(server.url, { tools: ["e*o"], needsApproval: true })],
    });
    const outfit = await box.outfit();
    expect(outfit.tools.map(({ name, source }) => [name, source])).toMatchObject([
      ["echo", { needsApproval: true }],
    ]);
    box.items.mcpServers = [mcpItem(server.url, { tools: ["act"], needsApproval: true })];
    expect(await box.call(outfit, "echo")).toMatchObject({
      isError: true,
      output: [{ text: "This tool may not be used any more." }],
    });
    box.items.mcpServers = [];
    expect(textOf(await box.call(outfit, "echo"))).toBe(
      "The MCP server `mcp` is not there any more.",
    );
  });

  it("is not called when its owner wants an approval since it was offered", async () => {
    const server = await startModernServer(echo);
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = await box.outfit();
    box.items.mcpServers = [mcpItem(server.url, { needsApproval: true })];
    expect(await box.call(outfit, "act")).toEqual({
      output: [{ type: "input_text", text: "This tool may be called only with an approval now." }],
      isError: true,
    });
  });

  it("is not asked for when the turn is cancelled meanwhile", async () => {
    const server = await startModernServer(echo);
    const abort = new AbortController();
    const box = openToolbox({ mcpServers: [mcpItem(server.url)] });
    const outfit = box.outfit(abort.signal);
    abort.abort(new Error("cancelled"));
    await expect(outfit).rejects.toThrow("cancelled");
    await expect(box.toolbox.buildToolset(receiver, [], abort.signal)).rejects.toThrow("cancelled");
  });
});
