import { rejectMissingField, type RequestFieldReader } from "../body-reader.ts";
import { decodeChatCacheBreakpoint } from "./decode-breakpoint.ts";
import type { ExtraField, NeutralTool } from "../neutral-request.ts";

const toolFields = new Set(["type", "function", "cache_control"]);
const functionFields = new Set(["name", "description", "parameters", "strict"]);

/** `tools`, then the deprecated `functions`. */
export function decodeChatTools(body: RequestFieldReader): readonly NeutralTool[] {
  return [
    ...body.objects("tools").map(decodeTool),
    ...body.objects("functions").map((item) => decodeFunction(item, item, [])),
  ];
}

/** Declared as `functions`: the answer must be a `function_call`, too. */
export function isDeprecatedFunctionsEntry({ path }: NeutralTool): boolean {
  return path.startsWith("functions[");
}

function decodeTool(item: RequestFieldReader): NeutralTool {
  const type = item.requiredString("type");
  if (type === "custom") return decodeCustom(item);
  if (type !== "function") {
    return {
      type: "hosted",
      path: item.path,
      dialect: "dialect_chat",
      name: type,
      raw: item.value,
    };
  }
  const named = item.object("function") ?? rejectMissingField(item.pathOf("function"));
  return decodeFunction(item, named, extrasOf(item, toolFields));
}

function decodeFunction(
  item: RequestFieldReader,
  named: RequestFieldReader,
  extras: readonly ExtraField[],
): NeutralTool {
  return {
    type: "function",
    path: item.path,
    cache: decodeChatCacheBreakpoint(item),
    name: named.requiredString("name"),
    description: named.string("description"),
    parameters: named.object("parameters")?.value,
    strict: named.boolean("strict"),
    extras: [...extras, ...extrasOf(named, functionFields)],
  };
}

function decodeCustom(item: RequestFieldReader): NeutralTool {
  const named = item.object("custom") ?? rejectMissingField(item.pathOf("custom"));
  return {
    type: "custom",
    path: item.path,
    cache: decodeChatCacheBreakpoint(item),
    name: named.requiredString("name"),
    description: named.string("description"),
    format: named.value["format"],
  };
}

function extrasOf(object: RequestFieldReader, known: ReadonlySet<string>): readonly ExtraField[] {
  return object
    .unknownNames(known)
    .filter((name) => object.has(name))
    .map((name) => ({ name, path: object.pathOf(name), value: object.value[name] }));
}
