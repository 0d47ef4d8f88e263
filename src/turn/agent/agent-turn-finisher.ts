import type { AgentTurnProgress, AgentStep } from "../../agent/run/agent-progress.ts";
import type { ApprovalRequestSigner } from "../../agent/run/approval-id.ts";
import type { RequestedToolCall } from "../../agent/run/requested-tool-call.ts";
import { buildEndedTurnTranscript } from "../../agent/run/turn-transcript.ts";
import { buildApprovalRequestItem } from "../../agent/run/mcp-call-items.ts";
import type { JsonObject } from "../../dialect/json.ts";
import type { TurnModelCallOutcome, TurnFailure } from "../../domain/durable-turn.ts";
import type { Clock } from "../../platform/clock.ts";
import type { LeasedTurn } from "../leased-turn.ts";
import type { FinalResponseWithFrames } from "../journal/response-journal.ts";

/** Ends the turn of an agent, in the transaction of its last model call where it ends with that. */
export class AgentTurnFinisher {
  readonly #turn: LeasedTurn;
  readonly #clock: Clock;
  readonly #approvals: ApprovalRequestSigner;
  /** Items that tell what servers have: they stand before what was said. */
  listings: readonly JsonObject[] = [];

  constructor(held: LeasedTurn, clock: Clock, approvals: ApprovalRequestSigner) {
    this.#turn = held;
    this.#clock = clock;
    this.#approvals = approvals;
  }

  /** The model is done, waits for its caller, or may do no more (`reason`). */
  end(
    progress: AgentTurnProgress,
    reason: string | undefined,
    end?: TurnModelCallOutcome,
  ): Promise<void> {
    const { journal } = this.#turn;
    return this.#turn.runEnding(async () => {
      await this.#turn.push(journal.interrupt());
      const last = progress.steps.at(-1);
      if (last !== undefined) this.#askApprovals(last);
      const completed_at = reason === undefined ? (last?.completedAt ?? this.#now()) : null;
      const ending = journal.close(reason, { ...serializeEvents(progress), completed_at });
      await this.#conclude(progress, ending, end, []);
    });
  }

  /** Somebody asked for the end; nothing where the turn is another's. */
  async stop(progress: AgentTurnProgress): Promise<void> {
    const { journal, lease: hold } = this.#turn;
    if (hold.hasLostLease) return;
    await this.#turn.runEnding(() => {
      const ending = journal.stop("cancelled", serializeEvents(progress));
      return this.#conclude(progress, ending, undefined, []);
    });
  }

  /** Ends the turn as failed before its next model call. */
  async fail(progress: AgentTurnProgress, error: TurnFailure): Promise<void> {
    await this.#turn.runEnding(() => {
      const ending = this.#turn.journal.fail(error, serializeEvents(progress));
      return this.#conclude(progress, ending, undefined, []);
    });
  }

  /** A call that has no answer ends the turn: it was stopped, or failed as often as it may. */
  async failInterrupted(
    progress: AgentTurnProgress,
    end: TurnModelCallOutcome,
    isTimeUp: boolean,
  ): Promise<void> {
    await this.#turn.runEnding(() => {
      const ending = this.#brokenEnding(progress, end, isTimeUp);
      // What a step said is in the progress; of this call there is what was told.
      return this.#conclude(progress, ending, end, this.#turn.journal.charactersSent);
    });
  }

  #brokenEnding(
    progress: AgentTurnProgress,
    { error }: TurnModelCallOutcome,
    isTimeUp: boolean,
  ): FinalResponseWithFrames {
    const { journal, lease: hold } = this.#turn;
    if (hold.isCancelled) return journal.stop("cancelled", serializeEvents(progress));
    if (hold.failure !== undefined) return journal.fail(hold.failure, serializeEvents(progress));
    if (isTimeUp) return journal.close("max_seconds", serializeEvents(progress));
    const nothing = { code: "server_error", message: "The model call came to nothing." };
    return journal.fail(error ?? nothing, serializeEvents(progress));
  }

  #askApprovals({ requests, incompleteReason: incomplete }: AgentStep): void {
    if (incomplete !== undefined) return;
    const { journal } = this.#turn;
    for (const request of requests.filter(({ disposition: fate }) => fate === "approval")) {
      const item = this.#approvalRequest(request);
      void this.#turn.push([...journal.begin(item), ...journal.finish(item)]);
    }
  }

  async #conclude(
    progress: AgentTurnProgress,
    ending: FinalResponseWithFrames,
    end: TurnModelCallOutcome | undefined,
    broken: readonly JsonObject[],
  ): Promise<void> {
    const { input } = this.#turn.turn.content;
    const items = [
      ...this.listings,
      ...buildEndedTurnTranscript(progress, input, broken, (request) =>
        this.#approvalRequest(request),
      ),
    ];
    await this.#turn.end(ending, end, items);
  }

  #approvalRequest(request: RequestedToolCall): JsonObject {
    return this.#approvals.sign(this.#turn.turn.accountId, buildApprovalRequestItem(request));
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

function serializeEvents({ usage: spending }: AgentTurnProgress): {
  readonly usage: JsonObject | null;
} {
  return { usage: spending.usage ?? null };
}
