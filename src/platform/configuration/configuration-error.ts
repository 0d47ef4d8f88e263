import { OperatorError } from "../operator-error.ts";

/**
 * A setting that cannot be used. The message is one line that names the
 * variable, or the file and the key; the process prints it and exits with 78
 * (`EX_CONFIG`), with nothing started.
 */
export class ConfigurationError extends OperatorError {
  override readonly name = "ConfigurationError";
  override readonly exitCode = 78;

  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}`);
  }
}
