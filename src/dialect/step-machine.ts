/**
 * A stream as a step function: `step` takes one input and gives what follows
 * from it, `finish` what follows from the end of the input. Only the machine
 * itself writes to its state.
 */
export interface StreamTransformer<State, Input, Output> {
  start(): State;
  step(state: State, input: Input): readonly Output[];
  finish(state: State): readonly Output[];
}

/** A step machine with its state: what follows from each input, and from the end of them. */
export interface RunningStreamTransformer<Input, Output> {
  push(input: Input): readonly Output[];
  finish(): readonly Output[];
}

/** A step machine that starts here. */
export function startStreamTransform<State, Input, Output>(
  machine: StreamTransformer<State, Input, Output>,
): RunningStreamTransformer<Input, Output> {
  const state = machine.start();
  return {
    push: (input) => machine.step(state, input),
    finish: () => machine.finish(state),
  };
}

/** What follows from several inputs in turn. As a rule there is one. */
export function flatMapStreamInputs<Input, Output>(
  inputs: readonly Input[],
  step: (input: Input) => readonly Output[],
): readonly Output[] {
  const [only] = inputs;
  if (inputs.length === 1 && only !== undefined) return step(only);
  const outputs: Output[] = [];
  for (const input of inputs) for (const output of step(input)) outputs.push(output);
  return outputs;
}
