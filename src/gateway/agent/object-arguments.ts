import { exceedsMaxToolArgumentValues, parseToolArguments } from "../../dialect/call-arguments.ts";
import { parseMessagesTruncatedObject } from "../../dialect/messages/parse-truncated.ts";
import type { StreamTransformer } from "../../dialect/step-machine.ts";
import type { NeutralEvent } from "../../dialect/neutral-event.ts";

/** Arguments so far, by the number of their part. */
type HeldArguments = Map<number, string>;

/**
 * Makes an object of the arguments of each call, for a dialect whose callers take nothing
 * else: arguments that are not one JSON object are told as far as they can be read, at
 * least as `{}`, and those of too many values or levels as `{}`. They are held until the call ends.
 */
export function createToolArgumentsRepairer(): StreamTransformer<
  HeldArguments,
  NeutralEvent,
  NeutralEvent
> {
  return {
    start: () => new Map(),
    step: (held, event) => {
      if (event.type === "part-start" && event.part.type === "tool-call") held.set(event.index, "");
      if (event.type === "part-delta" && event.delta.type === "arguments") {
        held.set(event.index, `${held.get(event.index) ?? ""}${event.delta.text}`);
        return [];
      }
      if (event.type !== "part-end") return [event];
      const { index } = event;
      const text = held.get(index) ?? "";
      held.delete(index);
      if (text === "") return [event];
      const delta = { type: "arguments" as const, text: objectText(text) };
      return [{ type: "part-delta", index, delta }, event];
    },
    finish: () => [],
  };
}

function objectText(text: string): string {
  if (!("error" in parseToolArguments(text))) return text;
  return exceedsMaxToolArgumentValues(text)
    ? "{}"
    : JSON.stringify(parseMessagesTruncatedObject(text) ?? {});
}
