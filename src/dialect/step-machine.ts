/**
 * A stream as a step function: `step` takes one input and gives what follows
 * from it, `finish` what follows from the end of the input. Only the machine
 * itself writes to its state.
 */
export interface StepMachine<State, Input, Output> {
  start(): State;
  step(state: State, input: Input): readonly Output[];
  finish(state: State): readonly Output[];
}
