/**
 * A failure that the operator can mend. The message is one line that names what
 * to change; the process prints it without a stack and exits with `exitCode`.
 */
export class OperatorError extends Error {
  override readonly name: string = "OperatorError";
  readonly exitCode: number = 1;
}
