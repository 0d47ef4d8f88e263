/** Greetings and lists of MCP servers that nobody vouches for: they cost little and harm nobody (docs/agent-tools.md). */
import { describe, expect, it } from "vitest";
import { closedPort } from "../../support/closed-port.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";
import { events, hangingMs, json, toolsetWith, pour, type Answers } from "./hostile-results.ts";
import {
  sendResult,
  startHostileServer,
  startModernServer,
  textResult,
  withSchemas,
  type WatchedServer,
} from "./mcp-servers.ts";
import { mcpItem, openToolbox, textOf } from "./open-toolbox.ts";

const hanging = "did not answer in time";

describe("a greeting", () => {
  it.each<[string, Answers, string]>([
    ["that hangs", { initialize: () => undefined }, hanging],
    ["whose list hangs", { "tools/list": () => undefined }, hanging],
    [
      "that is no JSON",
      { initialize: (response) => json(response, '{"jsonrpc": oops') },
      "answered with something that is not MCP",
    ],
    [
      "of another content type",
      {
        initialize: (response) => {
          response.writeHead(200, { "content-type": "text/html" }).end("<html>");
        },
      },
      "answered with something that is not MCP",
    ],
    [
      "that is refused",
      {
        initialize: (response) => void response.writeHead(401).end("s3cret"),
        "server/discover": (response) => void response.writeHead(401).end("s3cret"),
      },
      "refused the request (HTTP 401): its headers do not authorise it",
    ],
    [
      "that fails",
      { "server/discover": (response) => void response.writeHead(500).end("s3cret") },
      "answered with an error (HTTP 500)",
    ],
    [
      "of nothing but nulls",
      { "tools/list": (response, id) => sendResult(response, id, { tools: null }) },
      "answered with something that is not MCP",
    ],
    [
      "whose stream never ends",
      {
        "tools/list": (response) => {
          const ping = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n';
          pour(events(response), "", ping);
        },
      },
      "sent more messages than are read",
    ],
    ...["data:{}\n\n", "data:{}\r\r", "event: other\ndata: x\n\n"].map(
      (event): [string, Answers, string] => [
        `whose stream has no message in it, but ${JSON.stringify(event)} without end,`,
        { "tools/list": (response) => pour(events(response), "", event.repeat(1000)) },
        "sent more messages than are read",
      ],
    ),
    [
      "of an array of invalid messages",
      {
        "tools/list": (response) =>
          json(response, JSON.stringify(Array.from({ length: 300 }, () => ({})))),
      },
      "sent more messages than are read",
    ],
    [
      "whose one event never ends",
      {
        "tools/list": (response) => pour(events(response), 'data: {"method":"x', "x".repeat(1e5)),
      },
      "sent more than is read",
    ],
    [
      "whose stream ends before its answer",
      { "tools/list": (response) => void events(response).end(": none\n\n") },
      "ended its answer before it was whole",
    ],
    [
      "of half a million tools without a name",
      {
        "tools/list": (response, id) =>
          sendResult(response, id, { tools: Array.from({ length: 400_000 }, () => ({})) }),
      },
      "",
    ],
  ])(
    "[agent.tools-time] %s leaves the tools of others as they are",
    async (_name, answers, said) => {
      const hostile = await startHostileServer(answers);
      const before = process.cpuUsage();
      const ms = said === hanging ? hangingMs : undefined;
      const { names, note } = await toolsetWith(hostile, ms);
      expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
      expect(names).toEqual(["fine"]);
      expect(note).not.toMatch(/s3cret|127\.0\.0\.1/);
      if (said !== "") {
        expect(note).toContain("The MCP server `hostile` " + said);
        expect(note).toContain("its tools are missing");
      }
    },
  );

  it("[agent.tools-dialled] that redirects inside is not followed", async () => {
    let reached = false;
    const inside = await startLoopbackServer((_request, response) => {
      reached = true;
      response.end();
    });
    const location = `${inside.origin}/mcp`;
    for (const status of [301, 302, 307, 308]) {
      const hostile = await startHostileServer({
        "server/discover": (response) => void response.writeHead(status, { location }).end(),
      });
      const { note } = await toolsetWith(hostile);
      expect(note).toContain("`hostile` answered with a redirect, which is not followed");
    }
    expect(reached).toBe(false);
  });

  it.each([
    ["an address inside", "http://10.0.0.1:81/mcp"],
    ["a metadata service", "http://169.254.169.254/mcp"],
    ["an address that is allowed to nobody", "http://127.0.0.2/mcp"],
  ])("[agent.tools-dialled] of %s is not dialled", async (_name, url) => {
    const { note } = await toolsetWith({ url } as WatchedServer);
    expect(note).toContain("`hostile` may not be dialled: its address is not allowed");
    expect(note).not.toContain(new URL(url).hostname);
  });

  it("of nobody says that it could not be reached", async () => {
    const url = `http://127.0.0.1:${await closedPort()}/mcp`;
    expect((await toolsetWith({ url } as WatchedServer)).note).toContain("could not be reached");
  });
});

describe("a list", () => {
  it("[agent.tools-order] of more tools than are offered names the rest, as far as there is room", async () => {
    const tools = Array.from({ length: 5000 }, (_, index) => ({
      name: `t${String(index).padStart(4, "0")}`,
    }));
    const hostile = await startHostileServer({
      "tools/list": (response, id) => sendResult(response, id, { tools: withSchemas(tools) }),
    });
    const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
    const { tools: offered, instructions } = await box.outfit();
    expect(offered.map(({ name }) => name)).toEqual(tools.slice(0, 128).map(({ name }) => name));
    expect(instructions[0]).toMatch(/because at most 128 are: t0128, t0129, .* and \d+ more\./);
    expect(instructions[0]?.length).toBeLessThan(4500);
  });

  it("whose pages never end is read as far as a thousand tools", async () => {
    let pages = 0;
    const hostile = await startHostileServer({
      "tools/list": (response, id) => {
        pages += 1;
        const tools = Array.from({ length: 100 }, (_, index) => ({ name: `t${pages}_${index}` }));
        sendResult(response, id, { tools: withSchemas(tools), nextCursor: `page ${pages}` });
      },
    });
    const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
    expect((await box.outfit()).tools).toHaveLength(128);
    expect(pages).toBe(10);
  });

  it("with schemas that explode keeps the others", async () => {
    const deep = JSON.parse(
      `${'{"properties":{"a":'.repeat(1000)}{}${"}}".repeat(1000)}`,
    ) as object;
    const layers = Array.from({ length: 30 }, (_, index) => [
      `l${index}`,
      { anyOf: [{ $ref: `#/$defs/l${index + 1}` }, { $ref: `#/$defs/l${index + 1}` }] },
    ]);
    const tools = [
      { name: "a_deep", inputSchema: { ...deep, type: "object" } },
      {
        name: "b_wide",
        inputSchema: { type: "object", enum: Array.from({ length: 100_000 }, () => 1) },
      },
      { name: "c_long", inputSchema: { type: "object", description: "x".repeat(100_000) } },
      {
        name: "d_laughs",
        inputSchema: { type: "object", $ref: "#/$defs/l0", $defs: Object.fromEntries(layers) },
      },
      { name: "e_string", inputSchema: { type: "string" } },
      { name: "f_none", inputSchema: "none" },
      {
        name: "g_tree",
        description: `cut \u0000${"x".repeat(2000)}`,
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          $ref: "http://10.0.0.1/schema",
          properties: { child: { $ref: "#" } },
        },
      },
    ];
    const hostile = await startHostileServer({
      "tools/list": (response, id) => sendResult(response, id, { tools }),
    });
    const box = openToolbox({ mcpServers: [mcpItem(hostile.url)] });
    const { tools: offered, instructions } = await box.outfit();
    expect(offered).toMatchObject([
      { name: "g_tree", parameters: { type: "object", properties: { child: { $ref: "#" } } } },
    ]);
    expect(Object.keys(offered[0]?.parameters ?? {})).toEqual(["properties", "type"]);
    expect(offered[0]?.description).toMatch(/^cut  x{1018}…$/);
    expect(instructions[0]).toContain("a_deep, b_wide, c_long, d_laughs, e_string, f_none.");
  });

  it("of names that others have, or that no dialect takes, has names of its own", async () => {
    const server = (names: string[]) =>
      startModernServer({
        tools: names.map((name) => ({ name })),
        call: (params) => textResult(params.name),
      });
    const [one, two] = [
      await server(["read", "send mail!", "send\nmail?", "own"]),
      await server(["read"]),
    ];
    const items = [mcpItem(one.url, { name: "Mail" }), mcpItem(two.url, { name: "Mail" })];
    const box = openToolbox({ mcpServers: items });
    const outfit = await box.outfit();
    const names = outfit.tools.map(({ name }) => name);
    expect(names).toEqual([
      "own",
      "Mail__read",
      "Mail__send_mail",
      "Mail__send_mail_2",
      "Mail_2__read",
    ]);
    expect(textOf(await box.call(outfit, "Mail__send_mail_2"))).toBe("send mail!");
  });
});
