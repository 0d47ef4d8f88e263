import { OperatorError } from "../operator-error.ts";

/**
 * Why the server cannot start with this database. The message is written for
 * the operator: what is wrong, where, and what to do about it. `main.ts` prints
 * it without a stack.
 */
export class DatabaseStartError extends OperatorError {
  override readonly name = "DatabaseStartError";
}
