import type { Answer } from "../call/answer.ts";
import { failure } from "../call/call-failure.ts";
import type { DialTarget } from "../dial/dial-target.ts";
import type { Receiver } from "./receiver.ts";

/** Refuses an answer that is not what was asked for; its body is not read. */
export class MalformedRelay implements Receiver {
  readonly #answer: Answer;
  readonly #target: DialTarget;
  readonly #fault: string;
  readonly isEmpty = false;

  /** `fault` goes on after "The upstream … ". */
  constructor(answer: Answer, target: DialTarget, fault: string) {
    this.#answer = answer;
    this.#target = target;
    this.#fault = fault;
  }

  data(): boolean {
    this.end();
    return true;
  }

  end(): void {
    this.#answer.fail(
      failure("upstream_malformed", `The upstream \`${this.#target.name}\` ${this.#fault}.`),
    );
  }

  broken(): void {
    this.end();
  }

  begin(): void {
    // There is nothing to begin.
  }
}
