import { MalformedResponseError } from "../../dialect/codec.ts";
import { NeutralResponseAccumulator } from "../../dialect/neutral-response.ts";
import type { NeutralEnd, NeutralEvent } from "../../dialect/neutral-event.ts";
import type { CallFailure } from "../call/call-failure.ts";
import type { StreamStageFactory, StreamStage } from "../pass-through/stage.ts";

/**
 * Makes one compaction of an answer that is a summary: its text, as `seal` gives it, and
 * nothing of what was thought. Throws `MalformedResponseError` for a summary that is empty or not
 * whole: what it lacks would be lost for good.
 */
export function createSummaryToCompactionStage(
  seal: (summary: string) => string,
): StreamStageFactory<readonly NeutralEvent[], readonly NeutralEvent[]> {
  return (next) => new SummaryWriter(seal, next);
}

class SummaryWriter implements StreamStage<readonly NeutralEvent[]> {
  readonly #seal: (summary: string) => string;
  readonly #next: StreamStage<readonly NeutralEvent[]>;
  readonly #fold = new NeutralResponseAccumulator();

  constructor(seal: (summary: string) => string, next: StreamStage<readonly NeutralEvent[]>) {
    this.#seal = seal;
    this.#next = next;
  }

  push(events: readonly NeutralEvent[]): boolean {
    for (const event of events) this.#fold.push(event);
    const told = events.flatMap((event) => this.#sent(event));
    return told.length === 0 || this.#next.push(told);
  }

  finish(): void {
    this.#next.finish();
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  #sent(event: NeutralEvent): readonly NeutralEvent[] {
    switch (event.type) {
      case "part-start":
      case "part-delta":
      case "part-end":
        return [];
      case "response-end":
        return [...compactionEvents(this.#seal(this.#summary(event))), { ...event, reason: "end" }];
      default:
        return [event];
    }
  }

  #summary({ reason, raw }: NeutralEnd): string {
    const texts = this.#fold
      .answer()
      .parts.flatMap((part) => (part.type === "text" ? part.text : []));
    const summary = texts.join("\n\n").trim();
    const isWhole = reason === "end" || reason === "stop-sequence" || reason === "unknown";
    if (!isWhole)
      throw new MalformedResponseError(`did not end its summary (\`${raw ?? reason}\`)`);
    if (summary === "") throw new MalformedResponseError("was asked for a summary and sent none");
    return summary;
  }
}

function compactionEvents(text: string): readonly NeutralEvent[] {
  return [
    { type: "part-start", index: 0, part: { type: "compaction" } },
    { type: "part-delta", index: 0, delta: { type: "text", text } },
    { type: "part-end", index: 0 },
  ];
}
