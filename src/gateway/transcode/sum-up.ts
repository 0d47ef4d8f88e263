import { MalformedAnswer } from "../../dialect/codec.ts";
import { AnswerFold } from "../../dialect/turn-answer.ts";
import type { TurnEnd, TurnEvent } from "../../dialect/turn-event.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { Link, Stage } from "../relay/stage.ts";

/**
 * Makes one compaction of an answer that is a summary: its text, as `seal` gives it, and
 * nothing of what was thought. Throws `MalformedAnswer` for a summary that is empty or not
 * whole: what it lacks would be lost for good.
 */
export function sumUp(
  seal: (summary: string) => string,
): Link<readonly TurnEvent[], readonly TurnEvent[]> {
  return (next) => new SummaryWriter(seal, next);
}

class SummaryWriter implements Stage<readonly TurnEvent[]> {
  readonly #seal: (summary: string) => string;
  readonly #next: Stage<readonly TurnEvent[]>;
  readonly #fold = new AnswerFold();

  constructor(seal: (summary: string) => string, next: Stage<readonly TurnEvent[]>) {
    this.#seal = seal;
    this.#next = next;
  }

  push(events: readonly TurnEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    const told = events.flatMap((event) => this.#told(event));
    return told.length === 0 || this.#next.push(told);
  }

  finish(): void {
    this.#next.finish();
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  #told(event: TurnEvent): readonly TurnEvent[] {
    switch (event.type) {
      case "part-start":
      case "part-delta":
      case "part-end":
        return [];
      case "turn-end":
        return [...compactionEvents(this.#seal(this.#summary(event))), { ...event, reason: "end" }];
      default:
        return [event];
    }
  }

  #summary({ reason, raw }: TurnEnd): string {
    const texts = this.#fold
      .answer()
      .parts.flatMap((part) => (part.type === "text" ? part.text : []));
    const summary = texts.join("\n\n").trim();
    const isWhole = reason === "end" || reason === "stop-sequence" || reason === "unknown";
    if (!isWhole) throw new MalformedAnswer(`did not end its summary (\`${raw ?? reason}\`)`);
    if (summary === "") throw new MalformedAnswer("was asked for a summary and sent none");
    return summary;
  }
}

function compactionEvents(text: string): readonly TurnEvent[] {
  return [
    { type: "part-start", index: 0, part: { type: "compaction" } },
    { type: "part-delta", index: 0, delta: { type: "text", text } },
    { type: "part-end", index: 0 },
  ];
}
