import { invalidRequestError } from "../../platform/errors.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import type { NeutralTool, NeutralToolChoice } from "../neutral-request.ts";

/** `tool_choice`; a tool that it names must be there. */
export function decodeResponsesToolChoice(
  body: RequestFieldReader,
  tools: readonly NeutralTool[],
): NeutralToolChoice | undefined {
  const choice = body.value["tool_choice"];
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === "string") return wordChoice(choice);
  const reader = body.object("tool_choice");
  return reader === undefined ? undefined : objectChoice(reader, callableNames(tools));
}

function wordChoice(word: string): NeutralToolChoice {
  const path = "tool_choice";
  if (word === "none" || word === "auto" || word === "required") return { path, kind: word };
  throw invalidRequestError(path, "`tool_choice` is `none`, `auto`, `required` or an object.");
}

function callableNames(tools: readonly NeutralTool[]): ReadonlySet<string> {
  return new Set(tools.filter(({ type }) => type !== "hosted").map(({ name }) => name));
}

function objectChoice(choice: RequestFieldReader, names: ReadonlySet<string>): NeutralToolChoice {
  const { path } = choice;
  switch (choice.requiredString("type")) {
    case "function":
    case "custom":
      return { path, kind: "tool", name: knownName(choice, names) };
    case "allowed_tools":
      return allowedChoice(choice, names);
    default:
      return { path, kind: "opaque", dialect: "dialect_responses", raw: choice.value };
  }
}

function allowedChoice(choice: RequestFieldReader, known: ReadonlySet<string>): NeutralToolChoice {
  const names = choice.objects("tools").map((tool) => {
    if (["function", "custom"].includes(tool.requiredString("type"))) return knownName(tool, known);
    throw invalidRequestError(tool.pathOf("type"), "Only tools of the caller can be allowed here.");
  });
  return {
    path: choice.path,
    kind: "allowed",
    names,
    isRequired: choice.string("mode") === "required",
  };
}

function knownName(reader: RequestFieldReader, names: ReadonlySet<string>): string {
  const name = reader.requiredString("name");
  if (names.has(name)) return name;
  throw invalidRequestError("tool_choice", `\`tools\` has no tool \`${name}\` to choose.`);
}
