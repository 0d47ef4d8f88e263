import { invalidRequestError } from "../../platform/errors.ts";
import type { RequestFieldReader } from "../body-reader.ts";
import type { NeutralToolChoice, NeutralRequest } from "../neutral-request.ts";

/** `tool_choice`, which holds the switch for parallel calls, too. */
export function decodeMessagesToolChoice(
  body: RequestFieldReader,
): Pick<NeutralRequest, "toolChoice" | "parallelToolCalls"> {
  const choice = body.object("tool_choice");
  if (choice === undefined) return { toolChoice: undefined, parallelToolCalls: undefined };
  const disabled = choice.boolean("disable_parallel_tool_use");
  return {
    toolChoice: decodeChoice(choice),
    parallelToolCalls: disabled === undefined ? undefined : !disabled,
  };
}

function decodeChoice(choice: RequestFieldReader): NeutralToolChoice {
  const { path } = choice;
  const type = choice.requiredString("type");
  switch (type) {
    case "none":
    case "auto":
      return { path, kind: type };
    case "any":
      return { path, kind: "required" };
    case "tool":
      return { path, kind: "tool", name: choice.requiredString("name") };
    default:
      throw invalidRequestError(
        choice.pathOf("type"),
        "`tool_choice.type` is `auto`, `any`, `tool` or `none`.",
      );
  }
}
