import { RequestFieldReader } from "../body-reader.ts";
import { asObject, asString } from "../json.ts";
import {
  parseMessagesToolUseInput,
  formatMessagesInvalidToolUseInputError,
} from "./parse-input.ts";
import type { HostedTool, OpaquePart } from "../neutral-request.ts";
import type { MessagesWireObject } from "./wire.ts";
import type { MessagesRequestEncodingContext } from "./encoding-context.ts";

/** The beta that takes a server's tools as a part of its entry. */
export const mcpConnectorBeta = "mcp-client-2025-04-04";

/** Whether the vendor is to call the servers of a responses caller. */
export function isMcpServerCalledByVendor(
  { capabilities, request: turn }: Pick<MessagesRequestEncodingContext, "capabilities" | "request">,
  { name }: { readonly name: string },
): boolean {
  return turn.origin === "dialect_responses" && capabilities.mcpConnector && name.startsWith("mcp");
}

/** Whether the model can call tools that do not stand among `tools`. */
export function hasMcpConnectorTools(writing: MessagesRequestEncodingContext): boolean {
  return writing.request.tools.some(
    (tool) => tool.type === "hosted" && isMcpServerCalledByVendor(writing, tool),
  );
}

/**
 * `mcp_servers`, for `mcp` tools of responses. The answer tells what came of the
 * calls and not the calls one by one, which the caller is told.
 */
export function encodeMessagesMcpServers(
  writing: MessagesRequestEncodingContext,
): MessagesWireObject {
  const servers = writing.request.tools.flatMap((tool) =>
    tool.type === "hosted" && isMcpServerCalledByVendor(writing, tool)
      ? [encodeServer(writing, tool)]
      : [],
  );
  return servers.length === 0 ? {} : { mcp_servers: servers };
}

/** What another server, credential or consent would be needed for. */
const refused = ["connector_id", "tunnel_id", "headers"];
const advice = ["server_description", "defer_loading", "allowed_callers"];

function encodeServer(
  { warnings: ledger }: MessagesRequestEncodingContext,
  { path, raw }: HostedTool,
): MessagesWireObject {
  const tool = new RequestFieldReader(raw, path);
  for (const name of refused) {
    if (tool.has(name)) ledger.reject(tool.pathOf(name), `This upstream knows no \`${name}\`.`);
  }
  if (tool.value["require_approval"] !== "never") {
    const where = tool.pathOf("require_approval");
    ledger.reject(where, `This upstream calls without asking: \`${where}\` must be \`never\`.`);
  }
  for (const name of advice) if (tool.has(name)) ledger.drop(tool.pathOf(name), "unsupported");
  ledger.approximate(path, "unsupported");
  const token = tool.string("authorization");
  return {
    type: "url",
    url: tool.requiredString("server_url"),
    name: tool.requiredString("server_label"),
    ...(token === undefined ? {} : { authorization_token: token }),
    ...encodeAllowed(tool, ledger),
  };
}

function encodeAllowed(
  tool: RequestFieldReader,
  ledger: MessagesRequestEncodingContext["warnings"],
): MessagesWireObject {
  if (!tool.has("allowed_tools")) return {};
  const allowed = tool.value["allowed_tools"];
  const filter = asObject(allowed);
  if (filter?.["read_only"] !== undefined) {
    const path = `${tool.pathOf("allowed_tools")}.read_only`;
    ledger.reject(path, "This upstream chooses tools by their names only.");
  }
  const names = filter === undefined ? allowed : (filter["tool_names"] ?? []);
  if (!Array.isArray(names)) {
    ledger.reject(tool.pathOf("allowed_tools"), "The allowed tools must be a list of names.");
  }
  return { tool_configuration: { enabled: true, allowed_tools: names } };
}

/** A call of the history, which the vendor made; undefined: it is none. */
export function encodeMessagesMcpServerCall(
  writing: MessagesRequestEncodingContext,
  { name, raw, path }: OpaquePart,
): readonly MessagesWireObject[] | undefined {
  if (!isMcpServerCalledByVendor(writing, { name })) return undefined;
  if (name === "mcp_list_tools") {
    writing.warnings.drop(path.replace(/\.type$/, ""), "unsupported");
    return [];
  }
  return name === "mcp_call" ? callBlocks(writing, new RequestFieldReader(raw, path)) : undefined;
}

function callBlocks(
  { warnings: ledger }: MessagesRequestEncodingContext,
  { value, path }: RequestFieldReader,
): readonly MessagesWireObject[] {
  const id = (asString(value["id"]) ?? "").replaceAll(/[^A-Za-z0-9_-]/gu, "_") || "mcptoolu_0";
  const error = value["error"] ?? undefined;
  const said = error === undefined ? (asString(value["output"]) ?? "") : errorText(error);
  return [
    {
      type: "mcp_tool_use",
      id,
      name: asString(value["name"]) ?? "",
      server_name: asString(value["server_label"]) ?? "",
      input: inputOf(asString(value["arguments"]) ?? "", path, ledger),
    },
    {
      type: "mcp_tool_result",
      tool_use_id: id,
      is_error: error !== undefined,
      content: said === "" ? [] : [{ type: "text", text: said }],
    },
  ];
}

function errorText(error: unknown): string {
  return asString(error) ?? asString(asObject(error)?.["message"]) ?? JSON.stringify(error);
}

function inputOf(
  text: string,
  path: string,
  ledger: MessagesRequestEncodingContext["warnings"],
): unknown {
  if (text.trim() === "") return {};
  const where = path.replace(/\.type$/, ".arguments");
  return (
    parseMessagesToolUseInput(text) ??
    ledger.reject(where, formatMessagesInvalidToolUseInputError(where))
  );
}
