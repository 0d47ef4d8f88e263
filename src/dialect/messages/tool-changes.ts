import { RequestFieldReader } from "../body-reader.ts";
import { asString } from "../json.ts";
import type { NeutralTool } from "../neutral-request.ts";
import { decodeMessagesTool } from "./decode-tools.ts";

/** Blocks by which a system message offers a tool from there on, or withdraws one. */
export const toolChangeBlockTypes: ReadonlySet<string> = new Set(["tool_addition", "tool_removal"]);

/** The tools that the next answer may call: those declared, as the system messages changed them. */
export function applySystemMessageToolChanges(
  messages: readonly RequestFieldReader[],
  declared: readonly NeutralTool[],
): readonly NeutralTool[] {
  const changes = messages.flatMap(changesOf);
  if (changes.length === 0) return declared;
  const known = new Map(declared.map((tool) => [nameOf(tool), tool]));
  const withdrawn = new Set<string>();
  for (const { name, definition, isRemoval } of changes) {
    if (definition !== undefined) known.set(name, definition);
    if (isRemoval) withdrawn.add(name);
    else withdrawn.delete(name);
  }
  return [...known].flatMap(([name, tool]) => (withdrawn.has(name) ? [] : [tool]));
}

interface ToolChange {
  readonly name: string;
  /** Undefined: the tool was declared before. */
  readonly definition: NeutralTool | undefined;
  readonly isRemoval: boolean;
}

function changesOf(message: RequestFieldReader): readonly ToolChange[] {
  if (message.value["role"] !== "system" || !Array.isArray(message.value["content"])) return [];
  return message.objects("content").flatMap((block) => {
    const type = block.string("type") ?? "";
    return toolChangeBlockTypes.has(type) ? [changeOf(block, type === "tool_removal")] : [];
  });
}

function changeOf(block: RequestFieldReader, isRemoval: boolean): ToolChange {
  const tool = RequestFieldReader.member(block.value["tool"], block.pathOf("tool"));
  const defined = tool.object("definition");
  const definition = defined === undefined ? undefined : decodeMessagesTool(defined);
  // References to the vendor's own servers name what is not called from here.
  const name = definition === undefined ? (tool.string("name") ?? "") : nameOf(definition);
  return { name, definition, isRemoval };
}

/** A vendor's tool is called by a name of its own, too. */
function nameOf(tool: NeutralTool): string {
  return tool.type === "hosted" ? (asString(tool.raw["name"]) ?? tool.name) : tool.name;
}
