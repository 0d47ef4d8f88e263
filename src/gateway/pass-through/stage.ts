import { flatMapStreamInputs, type RunningStreamTransformer } from "../../dialect/step-machine.ts";
import type { CallFailure } from "../call/call-failure.ts";

/**
 * One stage of a stream on its way to a caller. A stage is made with the one behind it,
 * tells that one what follows from its own input, and has no other way out.
 *
 * An input is what came of one read: a piece of a body, then all events in that piece,
 * then their frames.
 *
 * Exactly one of `finish` and `fail` comes last. A stage that knows the end before they
 * come, because it has found one, calls `finish` or `fail` of the next one and lets go
 * what still comes: whoever dials sees that the answer is over, and hangs up. None needs
 * a connection, neither before it nor behind.
 */
export interface StreamStage<Input> {
  /** The next input; false: wait until the caller has read. It was taken all the same. */
  push(input: Input): boolean;
  /** Everything was said. */
  finish(): void;
  /** There will be no more, though not everything was said. */
  fail(cause: CallFailure): void;
}

/** Makes a stage from the one behind it. */
export type StreamStageFactory<Input, Output> = (next: StreamStage<Output>) => StreamStage<Input>;

/** One stage of several, in the order in which a stream goes through them. */
export function pipeStreamStages<A, B>(
  first: StreamStageFactory<A, B>,
  last: StreamStage<B>,
): StreamStage<A>;
export function pipeStreamStages<A, B, C>(
  first: StreamStageFactory<A, B>,
  second: StreamStageFactory<B, C>,
  last: StreamStage<C>,
): StreamStage<A>;
export function pipeStreamStages<A, B, C, D>(
  first: StreamStageFactory<A, B>,
  second: StreamStageFactory<B, C>,
  third: StreamStageFactory<C, D>,
  last: StreamStage<D>,
): StreamStage<A>;
export function pipeStreamStages<A, B, C, D, E>(
  first: StreamStageFactory<A, B>,
  second: StreamStageFactory<B, C>,
  third: StreamStageFactory<C, D>,
  fourth: StreamStageFactory<D, E>,
  last: StreamStage<E>,
): StreamStage<A>;
export function pipeStreamStages<A, B, C, D, E, F>(
  first: StreamStageFactory<A, B>,
  second: StreamStageFactory<B, C>,
  third: StreamStageFactory<C, D>,
  fourth: StreamStageFactory<D, E>,
  fifth: StreamStageFactory<E, F>,
  last: StreamStage<F>,
): StreamStage<A>;
export function pipeStreamStages<A, B, C, D, E, F, G>(
  first: StreamStageFactory<A, B>,
  second: StreamStageFactory<B, C>,
  third: StreamStageFactory<C, D>,
  fourth: StreamStageFactory<D, E>,
  fifth: StreamStageFactory<E, F>,
  sixth: StreamStageFactory<F, G>,
  last: StreamStage<G>,
): StreamStage<A>;
export function pipeStreamStages(
  ...stages: [...StreamStageFactory<unknown, unknown>[], StreamStage<unknown>]
): StreamStage<unknown> {
  let stage = stages.at(-1) as StreamStage<unknown>;
  for (let place = stages.length - 2; place >= 0; place--) {
    stage = (stages[place] as StreamStageFactory<unknown, unknown>)(stage);
  }
  return stage;
}

/** A stage that not every stream goes through. */
export function createOptionalStage<Input>(
  link: StreamStageFactory<Input, Input> | undefined,
): StreamStageFactory<Input, Input> {
  return link ?? passThroughStage;
}

function passThroughStage<Input>(next: StreamStage<Input>): StreamStage<Input> {
  return next;
}

/** A stage that looks at what passes, one by one. */
export function createTapStage<Input>(
  look: (input: Input) => void,
): StreamStageFactory<readonly Input[], readonly Input[]> {
  return (next) => new Tap(look, next);
}

class Tap<Input> implements StreamStage<readonly Input[]> {
  readonly #look: (input: Input) => void;
  readonly #next: StreamStage<readonly Input[]>;

  constructor(look: (input: Input) => void, next: StreamStage<readonly Input[]>) {
    this.#look = look;
    this.#next = next;
  }

  push(inputs: readonly Input[]): boolean {
    for (const input of inputs) this.#look(input);
    return this.#next.push(inputs);
  }

  finish(): void {
    this.#next.finish();
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }
}

/** A stage that tells what follows from each input, if anything does. */
export function createTransformStage<Input, Output>(
  steps: RunningStreamTransformer<Input, Output>,
): StreamStageFactory<Input, readonly Output[]> {
  return (next) => new StepStage(steps, next);
}

class StepStage<Input, Output> implements StreamStage<Input> {
  readonly #steps: RunningStreamTransformer<Input, Output>;
  readonly #next: StreamStage<readonly Output[]>;

  constructor(
    steps: RunningStreamTransformer<Input, Output>,
    next: StreamStage<readonly Output[]>,
  ) {
    this.#steps = steps;
    this.#next = next;
  }

  push(input: Input): boolean {
    return this.#tell(this.#steps.push(input));
  }

  finish(): void {
    this.#tell(this.#steps.finish());
    this.#next.finish();
  }

  fail(cause: CallFailure): void {
    this.#next.fail(cause);
  }

  #tell(outputs: readonly Output[]): boolean {
    return outputs.length === 0 || this.#next.push(outputs);
  }
}

/** The same for steps that take what comes of one read one by one. */
export function createListTransformStage<Input, Output>(
  steps: RunningStreamTransformer<Input, Output>,
): StreamStageFactory<readonly Input[], readonly Output[]> {
  const push = (input: Input): readonly Output[] => steps.push(input);
  return createTransformStage({
    push: (inputs) => flatMapStreamInputs(inputs, push),
    finish: () => steps.finish(),
  });
}

/** Where nobody hears what comes. */
export const discardingStage: StreamStage<unknown> = {
  push: () => true,
  finish: () => undefined,
  fail: () => undefined,
};
