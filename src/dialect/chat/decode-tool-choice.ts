import { invalidRequestError } from "../../platform/errors.ts";
import { RequestFieldReader } from "../body-reader.ts";
import type { NeutralToolChoice } from "../neutral-request.ts";

/** `tool_choice`, or the deprecated `function_call`. */
export function decodeChatToolChoice(body: RequestFieldReader): NeutralToolChoice | undefined {
  if (body.has("tool_choice")) return decodeChoice(body.value["tool_choice"], "tool_choice");
  if (!body.has("function_call")) return undefined;
  const call = body.value["function_call"];
  if (typeof call === "string") return decodeChoice(call, "function_call");
  const name = RequestFieldReader.member(call, "function_call").requiredString("name");
  return { path: "function_call", kind: "tool", name };
}

function decodeChoice(value: unknown, path: string): NeutralToolChoice {
  if (value === "none" || value === "auto" || value === "required") return { path, kind: value };
  if (typeof value === "string") return refuse(path);
  const choice = RequestFieldReader.member(value, path);
  switch (choice.requiredString("type")) {
    case "function":
    case "custom":
      return { path, kind: "tool", name: chosenName(choice) };
    case "allowed_tools":
      return decodeAllowed(choice);
    default:
      return refuse(choice.pathOf("type"));
  }
}

function decodeAllowed(choice: RequestFieldReader): NeutralToolChoice {
  const allowed = choice.object("allowed_tools") ?? choice;
  const mode = allowed.string("mode") ?? "auto";
  if (mode !== "auto" && mode !== "required") refuse(allowed.pathOf("mode"));
  const names = allowed.objects("tools").map(chosenName);
  return { path: choice.path, kind: "allowed", names, isRequired: mode === "required" };
}

/** Nested here; flat in responses, which some callers write by mistake. */
function chosenName(choice: RequestFieldReader): string {
  const named = choice.object("function") ?? choice.object("custom") ?? choice;
  return named.requiredString("name");
}

function refuse(path: string): never {
  throw invalidRequestError(path, `\`${path}\` is no choice of tools that this server knows.`);
}
