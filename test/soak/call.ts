import type { DialectName, WireResponse } from "./wire/dialect-wire.ts";

/** Who pays: the caller's linked credential or endpoint, or the wallet. */
export type Payment = "linked" | "endpoint" | "wallet";

/** What the upstream does with a call. */
export interface ResponsePlan {
  /** `break`: half of the answer and then a reset. */
  readonly kind: "whole" | "refuse" | "reset" | "break";
  /** Milliseconds before it answers and between two pieces of a stream. */
  readonly delayMs: number;
  readonly everyMs: number;
  readonly pieces: number;
  readonly pieceLength: number;
}

/** What the caller does with the answer. */
export interface ReceivedResponse {
  /** `leave`: hangs up after `afterMs`, wherever the call is then. `slow`: waits so long after each piece. */
  readonly kind: "all" | "leave" | "slow";
  readonly afterMs: number;
}

/** All that is decided of a call before it is made. */
export interface CallPlan {
  readonly from: DialectName;
  readonly to: DialectName;
  readonly payment: Payment;
  readonly isStream: boolean;
  readonly prompt: string;
  readonly answering: ResponsePlan;
  readonly hearing: ReceivedResponse;
}

/**
 * How it ended for its caller. `whole`: with all of an answer; `cut`: with a part;
 * `truncated`: with a part that looked whole; `refused`: with an error;
 * `unheard`: without a word.
 */
export type Outcome = "whole" | "cut" | "truncated" | "refused" | "unheard";

/**
 * One model call and what both of its ends saw. Nothing that a caller sends is
 * kept in the ledger as it is, so the number is the output cap, which makes the
 * reserve of a paid call one of its own, and stands in the model's id of others.
 */
export class Call {
  readonly number: number;
  readonly plan: CallPlan;
  /** Milliseconds of the wall clock here and below. */
  readonly startedAt = Date.now();

  /** Told by the upstream: requests that came, and answers that were given whole. */
  seen = 0;
  answered = 0;

  /** Told by the caller. */
  outcome: Outcome | undefined;
  status: number | undefined;
  code: string | undefined;
  bytes = 0;
  endedAt = 0;

  constructor(number: number, plan: CallPlan) {
    this.number = number;
    this.plan = plan;
  }

  get isPaid(): boolean {
    return this.plan.payment === "wallet";
  }

  /** Tokens that the upstream tells; more than pieces, which are counted where it does not come to that. */
  get output(): number {
    return 250 + (this.number % 7);
  }

  /** What the upstream says. */
  said(): WireResponse {
    const { pieces, pieceLength } = this.plan.answering;
    const text = "word ".repeat(Math.ceil(pieceLength / 5));
    return {
      id: `u${this.number}`,
      pieces: Array.from({ length: pieces }, () => text),
      input: this.number,
      output: this.output,
    };
  }
}

/** An output cap that no upstream minds. */
const firstNumber = 1000;

/** Every call of a run, by number. */
export class CallRegister {
  readonly #calls: Call[] = [];

  get all(): readonly Call[] {
    return this.#calls;
  }

  open(plan: CallPlan): Call {
    const call = new Call(firstNumber + this.#calls.length, plan);
    this.#calls.push(call);
    return call;
  }

  find(number: number): Call | undefined {
    return this.#calls[number - firstNumber];
  }
}
