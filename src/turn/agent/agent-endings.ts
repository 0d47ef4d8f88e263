import type { AgentProgress, AgentStep } from "../../agent/run/agent-progress.ts";
import { itemsForThread } from "../../agent/run/items-for-thread.ts";
import { approvalItem } from "../../agent/run/tool-items.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { TurnCallEnd } from "../../kernel/durable-turn.ts";
import type { Clock } from "../../platform/clock.ts";
import type { HeldTurn } from "../held-turn.ts";
import type { JournalEnding } from "../journal/response-journal.ts";

/** Ends the turn of an agent, in the transaction of its last model call where it ends with that. */
export class AgentEndings {
  readonly #held: HeldTurn;
  readonly #clock: Clock;
  /** Items that tell what servers have: they stand before what was said. */
  listings: readonly JsonObject[] = [];

  constructor(held: HeldTurn, clock: Clock) {
    this.#held = held;
    this.#clock = clock;
  }

  /** The model is done, waits for its caller, or may do no more (`reason`). */
  async end(progress: AgentProgress, reason: string | undefined, end?: TurnCallEnd): Promise<void> {
    const { journal } = this.#held;
    void this.#held.tell(journal.interrupt());
    const last = progress.steps.at(-1);
    if (last !== undefined) this.#askApprovals(last);
    const completed_at = reason === undefined ? (last?.completedAt ?? this.#now()) : null;
    const ending = journal.close(reason, { ...tell(progress), completed_at });
    await this.#conclude(progress, ending, end, []);
  }

  /** Somebody asked for the end; nothing where the turn is another's. */
  async stop(progress: AgentProgress): Promise<void> {
    const { journal, hold } = this.#held;
    if (hold.isLost) return;
    await this.#conclude(progress, journal.stop("cancelled", tell(progress)), undefined, []);
  }

  /** A call that has no answer ends the turn: it was stopped, or failed as often as it may. */
  async breakOff(progress: AgentProgress, end: TurnCallEnd, isTimeUp: boolean): Promise<void> {
    const ending = this.#brokenEnding(progress, end, isTimeUp);
    // What a step said is in the progress; of this call there is what was told.
    await this.#conclude(progress, ending, end, this.#held.journal.toldByCall);
  }

  #brokenEnding(progress: AgentProgress, { error }: TurnCallEnd, isTimeUp: boolean): JournalEnding {
    const { journal, hold } = this.#held;
    if (hold.isCancelled) return journal.stop("cancelled", tell(progress));
    if (isTimeUp) return journal.close("max_seconds", tell(progress));
    const nothing = { code: "server_error", message: "The model call came to nothing." };
    return journal.fail(error ?? nothing, tell(progress));
  }

  #askApprovals({ requests, incomplete }: AgentStep): void {
    if (incomplete !== undefined) return;
    const { journal } = this.#held;
    for (const request of requests.filter(({ fate }) => fate === "approval")) {
      const item = approvalItem(request);
      void this.#held.tell([...journal.begin(item), ...journal.finish(item)]);
    }
  }

  async #conclude(
    progress: AgentProgress,
    ending: JournalEnding,
    end: TurnCallEnd | undefined,
    broken: readonly JsonObject[],
  ): Promise<void> {
    const { input } = this.#held.turn.content;
    const items = [...this.listings, ...itemsForThread(progress, input, broken)];
    await this.#held.end(ending, end, items);
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

function tell({ spending }: AgentProgress): { readonly usage: JsonObject | null } {
  return { usage: spending.usage ?? null };
}
