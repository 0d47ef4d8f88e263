import { describe, expect, it } from "vitest";
import type { ModelCapabilities } from "../../src/dialect/capabilities.ts";
import type { JsonObject } from "../../src/dialect/json.ts";
import { inferModelCapabilities } from "../../src/dialect/model-capabilities.ts";
import type { DialectId } from "../../src/platform/configuration/configuration.ts";
import { refusedParam, transcode } from "../support/transcoding.ts";

const searching: Partial<ModelCapabilities> = { serverTools: ["web_search"] };
const connected: Partial<ModelCapabilities> = { mcpConnector: true };

const asks = {
  dialect_chat: { model: "m", messages: [{ role: "user", content: "hi" }] },
  dialect_responses: { model: "m", input: "hi" },
  dialect_messages: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "hi" }] },
};

function write(
  from: DialectId,
  to: DialectId,
  more: JsonObject,
  capabilities: Partial<ModelCapabilities> = {},
) {
  return transcode({ ...asks[from], ...more }, { from, to, capabilities });
}

const city = { city: "Oslo", country: "NO" };

describe("a search of the web", () => {
  const chatSearch = {
    web_search_options: {
      search_context_size: "high",
      user_location: { type: "approximate", approximate: city },
    },
  };
  const itemSearch = {
    type: "web_search",
    filters: { allowed_domains: ["nasa.gov"] },
    user_location: { type: "approximate", ...city },
  };
  const blockSearch = {
    type: "web_search_20250305",
    name: "web_search",
    allowed_domains: ["nasa.gov"],
    user_location: { type: "approximate", ...city },
  };

  it("of a chat caller is a tool of a messages upstream that has it", () => {
    const { body, warnings } = write("dialect_chat", "dialect_messages", chatSearch, searching);
    const { allowed_domains: _none, ...tool } = blockSearch;
    expect(body["tools"]).toEqual([tool]);
    expect(warnings).toEqual(["web_search_options.search_context_size dropped unsupported"]);
  });

  it("of a responses caller is a tool of a messages upstream that has it", () => {
    const more = { tools: [itemSearch] };
    const { body, warnings } = write("dialect_responses", "dialect_messages", more, searching);
    expect(body["tools"]).toEqual([blockSearch]);
    expect(warnings).toEqual([]);
  });

  it("of a messages caller is a tool of a responses upstream", () => {
    const more = { tools: [{ ...blockSearch, max_uses: 3 }] };
    const { body, warnings } = write("dialect_messages", "dialect_responses", more);
    expect(body["tools"]).toEqual([itemSearch]);
    expect(warnings).toEqual(["tools[0].max_uses dropped unsupported"]);
  });

  it.each(["dialect_responses", "dialect_messages"] as const)(
    "of a %s caller is an option of a chat upstream that has it",
    (from) => {
      const { filters: _filters, ...item } = itemSearch;
      const { allowed_domains: _domains, ...block } = blockSearch;
      const tool = from === "dialect_responses" ? item : block;
      const { body } = write(from, "dialect_chat", { tools: [tool] }, searching);
      expect(body["tools"]).toBeUndefined();
      expect(body["web_search_options"]).toEqual({
        user_location: { type: "approximate", approximate: city },
      });
    },
  );

  it.each([
    ["dialect_chat", "dialect_messages", chatSearch, {}, "web_search_options"],
    ["dialect_responses", "dialect_messages", { tools: [itemSearch] }, {}, "tools[0].type"],
    ["dialect_responses", "dialect_chat", { tools: [itemSearch] }, {}, "tools[0].type"],
    ["dialect_messages", "dialect_chat", { tools: [blockSearch] }, {}, "tools[0].type"],
    [
      "dialect_responses",
      "dialect_chat",
      { tools: [itemSearch] },
      searching,
      "tools[0].filters.allowed_domains",
    ],
    [
      "dialect_messages",
      "dialect_responses",
      { tools: [{ type: "web_search_20250305", name: "web_search", blocked_domains: ["x.org"] }] },
      {},
      "tools[0].blocked_domains",
    ],
    [
      "dialect_responses",
      "dialect_messages",
      { tools: [{ type: "web_search", external_web_access: false }] },
      searching,
      "tools[0].external_web_access",
    ],
    [
      "dialect_messages",
      "dialect_responses",
      { tools: [{ type: "web_search_20260318", name: "web_search" }] },
      {},
      "tools[0].type",
    ],
  ] as const)(
    "%s to %s: refuses a search that the upstream cannot do: %j",
    (from, to, more, known, param) => {
      expect(refusedParam(() => write(from, to, more, known))).toBe(param);
    },
  );

  it("is known of vendors' own servers, not of compatible ones", () => {
    const known = (model: string, dialect: DialectId, firstParty: boolean) =>
      inferModelCapabilities({ model, dialect, firstParty, maxOutputTokens: undefined });
    expect(known("claude-opus-4-6", "dialect_messages", true)).toMatchObject({
      serverTools: ["web_search"],
      mcpConnector: true,
    });
    expect(known("claude-opus-4-6", "dialect_messages", false)).toMatchObject({
      serverTools: [],
      mcpConnector: false,
    });
    expect(known("gpt-4o-search-preview", "dialect_chat", true).serverTools).toEqual([
      "web_search",
    ]);
    expect(known("gpt-4o", "dialect_chat", true).serverTools).toEqual([]);
  });
});

describe("servers of tools that the vendor calls", () => {
  const server = {
    type: "mcp",
    server_label: "maps",
    server_url: "https://maps.example.org/mcp",
    authorization: "token-of-the-caller",
    allowed_tools: ["find"],
    require_approval: "never",
  };
  const call = {
    id: "mcp_1",
    type: "mcp_call",
    server_label: "maps",
    name: "find",
    arguments: '{"q":"Oslo"}',
    output: "59.9 N",
  };

  const ask = (more: JsonObject, known = connected, to: DialectId = "dialect_messages") =>
    write("dialect_responses", to, more, known);

  it("of a responses caller are told to a messages upstream that calls them", () => {
    const { body, headers, warnings } = ask({ tools: [server] });
    expect(body["mcp_servers"]).toEqual([
      {
        type: "url",
        url: "https://maps.example.org/mcp",
        name: "maps",
        authorization_token: "token-of-the-caller",
        tool_configuration: { enabled: true, allowed_tools: ["find"] },
      },
    ]);
    expect(body["tools"]).toBeUndefined();
    expect(headers).toEqual([
      "anthropic-version",
      "2023-06-01",
      "anthropic-beta",
      "mcp-client-2025-04-04",
    ]);
    expect(warnings).toEqual(["tools[0] approximated unsupported"]);
  });

  it("and their calls of the history with them, in order", () => {
    const { body, warnings } = ask({
      tools: [server],
      input: [
        { role: "user", content: "Where?" },
        { id: "mcpl_1", type: "mcp_list_tools", server_label: "maps", tools: [] },
        call,
        { ...call, id: "mcp_2", output: null, error: { message: "no such place" } },
        { role: "assistant", content: "There." },
        { role: "user", content: "Sure?" },
      ],
    });
    expect((body["messages"] as JsonObject[])[1]).toEqual({
      role: "assistant",
      content: [
        {
          type: "mcp_tool_use",
          id: "mcp_1",
          name: "find",
          server_name: "maps",
          input: { q: "Oslo" },
        },
        {
          type: "mcp_tool_result",
          tool_use_id: "mcp_1",
          is_error: false,
          content: [{ type: "text", text: "59.9 N" }],
        },
        {
          type: "mcp_tool_use",
          id: "mcp_2",
          name: "find",
          server_name: "maps",
          input: { q: "Oslo" },
        },
        {
          type: "mcp_tool_result",
          tool_use_id: "mcp_2",
          is_error: true,
          content: [{ type: "text", text: "no such place" }],
        },
        { type: "text", text: "There." },
      ],
    });
    expect(warnings).toContain("input[1] dropped unsupported");
  });

  it("may be called before the model answers through a hidden tool", () => {
    const format = { type: "json_schema", name: "n", schema: { type: "object" } };
    const hidden: Partial<ModelCapabilities> = { ...connected, structuredOutput: "tool" };
    const { body } = ask({ tools: [server], text: { format } }, hidden);
    expect((body["tools"] as JsonObject[]).map(({ name }) => name)).toEqual(["json"]);
    expect(body["tool_choice"]).toBeUndefined();
  });

  const { server_url: _url, ...withoutUrl } = server;
  const { require_approval: _approval, ...unsaid } = server;

  it.each([
    [{ tools: [{ ...server, connector_id: "connector_gmail" }] }, "tools[0].connector_id"],
    [{ tools: [{ ...server, tunnel_id: "t" }] }, "tools[0].tunnel_id"],
    [{ tools: [{ ...server, headers: { a: "b" } }] }, "tools[0].headers"],
    [{ tools: [{ ...server, require_approval: "always" }] }, "tools[0].require_approval"],
    [{ tools: [unsaid] }, "tools[0].require_approval"],
    [{ tools: [withoutUrl] }, "tools[0].server_url"],
    [
      { tools: [{ ...server, allowed_tools: { read_only: true } }] },
      "tools[0].allowed_tools.read_only",
    ],
    [{ tools: [{ ...server, allowed_tools: 5 }] }, "tools[0].allowed_tools"],
    [{ tools: [server], input: [{ ...call, arguments: "no" }] }, "input[0].arguments"],
    [{ tools: [server], input: [{ type: "mcp_approval_request", id: "r" }] }, "input[0].type"],
  ])("are refused where the upstream cannot call them so: %j", (more, param) => {
    expect(refusedParam(() => ask(more))).toBe(param);
  });

  it.each(["dialect_chat", "dialect_messages"] as const)("are refused by others (%s)", (to) => {
    expect(refusedParam(() => ask({ tools: [server] }, {}, to))).toBe("tools[0].type");
    expect(refusedParam(() => ask({ input: [call] }, {}, to))).toBe("input[0].type");
    expect(() => ask({ input: [call] }, {}, to)).toThrow("Leave it out");
  });
});
