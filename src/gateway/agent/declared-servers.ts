import { RequestFieldReader } from "../../dialect/body-reader.ts";
import { asArrayOrEmpty, asObject, type JsonObject } from "../../dialect/json.ts";
import type { ConversionWarningCollector } from "../../dialect/conversion-warning.ts";
import type { DeclaredMcpServer, McpToolFilter } from "../../domain/agent-turn.ts";
import {
  credentialHeaderNames,
  assertExtraHeaders,
  lowerCaseHeaders,
} from "../../platform/endpoint/header-rules.ts";
import { invalidRequestError } from "../../platform/errors.ts";

/** A server that a request declares, and where in its body. */
export interface RequestMcpServerEntry {
  readonly server: DeclaredMcpServer;
  /** Of its tool, `tools[i]`. */
  readonly path: string;
}

/** More than are asked for one turn. */
const maxServers = 32;
/** As many tools as are read of a server. */
const maxToolNames = 1000;

/**
 * The MCP servers among the tools of a responses request. Throws 400 with the field as
 * `param` for what is none, or cannot be served here; its address is not judged yet.
 */
export function readDeclaredMcpServers(
  body: JsonObject,
  ledger: ConversionWarningCollector,
): readonly RequestMcpServerEntry[] {
  const tools = new RequestFieldReader(body)
    .objects("tools")
    .filter(({ value }) => isMcpServerTool(value));
  const [beyond] = tools.slice(maxServers);
  if (beyond !== undefined) {
    throw invalidRequestError(beyond.path, `A request declares at most ${maxServers} MCP servers.`);
  }
  const servers = tools.map((tool) => ({ server: readServer(tool, ledger), path: tool.path }));
  const labels = new Set<string>();
  for (const { server, path } of servers) {
    if (labels.has(server.label))
      throw mcpServerLabelConflictError(`${path}.server_label`, server.label);
    labels.add(server.label);
  }
  return servers;
}

/** The refusal of a label that another server has. */
export function mcpServerLabelConflictError(param: string, label: string): Error {
  return invalidRequestError(
    param,
    `Another MCP server of this turn is called \`${label}\`: give this one another label.`,
  );
}

/** Whether a tool of a request is an MCP server. */
export function isMcpServerTool(tool: unknown): boolean {
  return asObject(tool)?.["type"] === "mcp";
}

/** The tools of a request as its caller may be told them again: of servers nothing secret. */
export function redactMcpServerCredentials(tools: unknown): readonly unknown[] {
  return asArrayOrEmpty(tools).map((tool) =>
    isMcpServerTool(tool) ? { ...asObject(tool), authorization: null, headers: null } : tool,
  );
}

const labelPattern = /^[a-zA-Z][\w-]{0,63}$/;
const tokenPattern = /^[\x21-\x7e]{1,4096}$/;

const fields: ReadonlySet<string> = new Set([
  "type",
  "server_label",
  "server_description",
  "server_url",
  "headers",
  "authorization",
  "allowed_tools",
  "allowed_callers",
  "require_approval",
  "defer_loading",
]);

function readServer(
  tool: RequestFieldReader,
  ledger: ConversionWarningCollector,
): DeclaredMcpServer {
  rejectOtherFields(tool);
  for (const name of tool.unknownNames(fields)) {
    if (tool.has(name)) ledger.drop(tool.pathOf(name), "unknown");
  }
  // All tools are offered at once: there is nothing to search them with.
  if (tool.boolean("defer_loading") === true) {
    ledger.drop(tool.pathOf("defer_loading"), "unsupported");
  }
  return {
    label: readLabel(tool),
    description: tool.string("server_description"),
    url: tool.requiredString("server_url"),
    headers: readHeaders(tool),
    allowed: readAllowed(tool),
    approval: readApproval(tool),
  };
}

/** What the vendor reaches in ways of its own. */
function rejectOtherFields(tool: RequestFieldReader): void {
  for (const [name, what] of [
    ["connector_id", "Connectors are the vendor's own"],
    ["tunnel_id", "Tunnels are the vendor's own"],
  ] as const) {
    if (tool.has(name)) {
      throw invalidRequestError(tool.pathOf(name), `${what}: name a server by its \`server_url\`.`);
    }
  }
  const callers = tool.array("allowed_callers");
  if (callers === undefined || callers.includes("direct")) return;
  throw invalidRequestError(
    tool.pathOf("allowed_callers"),
    "Tools are called by the model itself here: add `direct`, or leave the field out.",
  );
}

function readLabel(tool: RequestFieldReader): string {
  const label = tool.requiredString("server_label");
  if (labelPattern.test(label)) return label;
  throw invalidRequestError(
    tool.pathOf("server_label"),
    "A label begins with a letter and has at most 64 letters, digits, `_` and `-`.",
  );
}

function readHeaders(tool: RequestFieldReader): DeclaredMcpServer["headers"] {
  const path = tool.pathOf("headers");
  const reader = tool.object("headers");
  const names = Object.keys(reader?.value ?? {});
  const sent = Object.fromEntries(
    names.map((name) => [name, reader?.requiredString(name) ?? ""] as const),
  );
  assertExtraHeaders(sent, path, credentialHeaderNames);
  const headers = lowerCaseHeaders(sent);
  const token = tool.string("authorization");
  if (token === undefined) return headers;
  const param = tool.pathOf("authorization");
  if (!tokenPattern.test(token)) {
    throw invalidRequestError(
      param,
      "A token is printable ASCII without spaces, 4096 bytes at most.",
    );
  }
  if (headers["authorization"] !== undefined) {
    throw invalidRequestError(param, `\`${path}\` has a header of this name: send one of both.`);
  }
  return { ...headers, authorization: `Bearer ${token}` };
}

/** A list of names, or a filter. */
function readAllowed(tool: RequestFieldReader): McpToolFilter | undefined {
  if (Array.isArray(tool.value["allowed_tools"])) return { names: namesIn(tool, "allowed_tools") };
  const filter = tool.object("allowed_tools");
  return filter && readFilter(filter);
}

function readFilter(filter: RequestFieldReader): McpToolFilter {
  const isReadOnly = filter.boolean("read_only");
  return {
    ...(filter.has("tool_names") && { names: namesIn(filter, "tool_names") }),
    ...(isReadOnly !== undefined && { isReadOnly }),
  };
}

function namesIn(reader: RequestFieldReader, member: string): readonly string[] {
  const names = reader.array(member) ?? [];
  if (names.length > maxToolNames) {
    throw invalidRequestError(
      reader.pathOf(member),
      `A list may have at most ${maxToolNames} names of tools. Leave it out to allow all tools.`,
    );
  }
  const wrong = names.findIndex((name) => typeof name !== "string");
  if (wrong === -1) return names as readonly string[];
  throw invalidRequestError(
    `${reader.pathOf(member)}[${wrong}]`,
    "The name of a tool is a string.",
  );
}

/** Without a word every call waits for an approval. */
function readApproval(tool: RequestFieldReader): DeclaredMcpServer["approval"] {
  const word = tool.value["require_approval"];
  if (word === "never") return { always: undefined, never: {} };
  if (word === undefined || word === null || word === "always") return neverFree;
  if (typeof word === "string") {
    const param = tool.pathOf("require_approval");
    throw invalidRequestError(param, "It is `always`, `never`, or an object with these members.");
  }
  const filters = tool.object("require_approval");
  const [always, never] = [filters?.object("always"), filters?.object("never")];
  return { always: always && fillIn(always), never: never && fillIn(never) };
}

/** A filter that names nothing would be one for all tools. */
function fillIn(filter: RequestFieldReader): McpToolFilter {
  const read = readFilter(filter);
  if (Object.keys(read).length > 0) return read;
  throw invalidRequestError(filter.path, "Say `tool_names`, `read_only` or both.");
}

const neverFree: DeclaredMcpServer["approval"] = { always: undefined, never: undefined };
