import type { RequestFieldReader } from "../body-reader.ts";
import type { ConversionWarningCollector } from "../conversion-warning.ts";
import { flattenToolName } from "../tool-names.ts";
import type { NeutralTool, ToolCallPart, ToolResultPart } from "../neutral-request.ts";
import { decodeResponsesTools } from "./decode-tools.ts";

/** Whether the caller itself is asked for tools, and not its vendor, which pairs nothing. */
export function isClientToolSearch(item: RequestFieldReader): boolean {
  return item.has("call_id") && item.value["execution"] !== "server";
}

/** A call that asked for tools; its arguments are an object here. */
export function decodeResponsesToolSearchCall(item: RequestFieldReader): ToolCallPart {
  return {
    type: "tool-call",
    path: item.path,
    kind: "search",
    id: item.requiredString("call_id"),
    name: "tool_search",
    arguments: JSON.stringify(item.object("arguments")?.value ?? {}),
    argumentsPath: item.pathOf("arguments"),
  };
}

/** What such a call found: a result that names the tools, and the tools. */
export interface ResponsesDecodedToolSearchOutput {
  readonly result: ToolResultPart;
  readonly tools: readonly NeutralTool[];
}

export function decodeResponsesToolSearchOutput(
  item: RequestFieldReader,
  ledger: ConversionWarningCollector,
): ResponsesDecodedToolSearchOutput {
  const { path } = item;
  const tools = decodeResponsesTools(item, ledger).map(withoutLoading);
  const part = { type: "opaque", path, dialect: "dialect_responses" } as const;
  const result: ToolResultPart = {
    type: "tool-result",
    path,
    kind: "search",
    callId: item.requiredString("call_id"),
    isError: false,
    content: [{ ...part, name: "tool_search_output", raw: item.value, text: listOf(tools) }],
  };
  return { result, tools };
}

/** A tool that was found is deferred no more. */
function withoutLoading(tool: NeutralTool): NeutralTool {
  if (tool.type === "hosted" || tool.type === "custom") return tool;
  return { ...tool, extras: tool.extras.filter(({ name }) => name !== "defer_loading") };
}

/** The tools themselves stand among those of the request. */
function listOf(tools: readonly NeutralTool[]): string {
  if (tools.length === 0) return "No tools were found.";
  const lines = tools.map((tool) => {
    if (tool.type === "hosted") return `- ${tool.name}`;
    const { description = "" } = tool;
    return `- ${flattenToolName(tool)}${description === "" ? "" : `: ${description}`}`;
  });
  return ["These tools were found:", ...lines].join("\n");
}
