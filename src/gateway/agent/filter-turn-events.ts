import type { OriginalTool } from "../../dialect/restore-info.ts";
import type { StreamTransformer } from "../../dialect/step-machine.ts";
import type { NeutralPartHead, NeutralEvent } from "../../dialect/neutral-event.ts";

/** What a caller of chat or messages declared, as the agent's turn names it. */
export interface CallerDeclaredToolNames {
  readonly names: ReadonlySet<string>;
  /** Those that have another name, or are of another kind, for the caller. */
  readonly renamed: ReadonlyMap<string, OriginalTool>;
}

interface ShownState {
  /** Numbers of parts that are not shown. */
  readonly hidden: Set<number>;
  hasText: boolean;
  /** Something that is not shown stands between the last text and what comes. */
  isApart: boolean;
  hasCall: boolean;
}

const paragraph = "\n\n";

/**
 * What a caller of chat or messages gets of an agent's turn: text, thoughts, and calls of the
 * tools that it declared. Calls of the agent's own tools are not shown; where a dialect
 * has one text for all of them, `joins`, texts around them are paragraphs of it.
 */
export function createAgentTurnEventFilter(
  { names, renamed }: CallerDeclaredToolNames,
  joins: boolean,
): StreamTransformer<ShownState, NeutralEvent, NeutralEvent> {
  const isHidden = (part: NeutralPartHead): boolean =>
    part.type === "tool-call" && !names.has(part.name);
  return {
    start: () => ({ hidden: new Set(), hasText: false, isApart: false, hasCall: false }),
    step: (state, event) => {
      switch (event.type) {
        case "part-start":
          return isHidden(event.part)
            ? hide(state, event.index)
            : begin(state, event, renamed, joins);
        case "part-delta":
        case "part-end":
          return state.hidden.has(event.index) ? [] : [event];
        case "response-end":
          return [
            event.reason === "tool-calls" && !state.hasCall ? { ...event, reason: "end" } : event,
          ];
        default:
          return [event];
      }
    },
    finish: () => [],
  };
}

function hide(state: ShownState, index: number): readonly NeutralEvent[] {
  state.hidden.add(index);
  state.isApart = true;
  return [];
}

function begin(
  state: ShownState,
  event: Extract<NeutralEvent, { type: "part-start" }>,
  renamed: CallerDeclaredToolNames["renamed"],
  joins: boolean,
): readonly NeutralEvent[] {
  const { part, index } = event;
  if (part.type === "tool-call") {
    state.hasCall = true;
    return [{ ...event, part: { ...part, ...renamed.get(part.name) } }];
  }
  if (part.type !== "text") return [event];
  const isNext = joins && state.hasText;
  state.hasText = true;
  if (!isNext) return [event];
  return [event, { type: "part-delta", index, delta: { type: "text", text: paragraph } }];
}
