import { printable } from "../cell.ts";
import { isJsonObject } from "../../contract/json/decode-json.ts";
import { textIn } from "../text-in.ts";
import type { TurnOutcome } from "./run-turn.ts";

/** Why an answer is not whole; undefined: it is. */
export function endNote({ response }: TurnOutcome): string | undefined {
  if (response === undefined) return "cancelled";
  const status = textIn(response, "status");
  if (status === "cancelled") return status;
  if (status !== "incomplete") return undefined;
  const { incomplete_details: details } = response;
  const reason = isJsonObject(details) ? textIn(details, "reason") : "";
  return `incomplete: ${printable(reason) || "no reason given"}`;
}
