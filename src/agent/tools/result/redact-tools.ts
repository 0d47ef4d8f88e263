import type { ListedMcpTool, McpToolList } from "../toolset/listed-mcp-tool.ts";
import { isJsonObject } from "../../../platform/json-value.ts";
import { createSecretRedactor } from "./redact-secrets.ts";

/** What a server offers without the values of the headers that it was sent: a description is read by models, and by callers. */
export function redactMcpToolList(
  { tools, omitted: leftOut }: McpToolList,
  headers: Readonly<Record<string, string>>,
): McpToolList {
  const scrub = createSecretRedactor(headers);
  const isClean = ({ name }: ListedMcpTool): boolean => scrub(name) === name;
  return {
    // By another name it could not be called.
    tools: tools.filter(isClean).map((tool) => ({
      ...tool,
      description: tool.description === undefined ? undefined : scrub(tool.description),
      parameters: scrubValue(tool.parameters, scrub) as ListedMcpTool["parameters"],
    })),
    omitted: leftOut.map(scrub),
  };
}

/** Texts and the names of members, however deep. */
function scrubValue(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, scrub));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [scrub(name), scrubValue(member, scrub)] as const),
  );
}
