import { CliError } from "./cli-error.ts";
import { writeToStderr } from "./output.ts";

/** Does what a command does; a `CliError` is told on standard error and ends it with 1, or as said. */
export async function runAndReportCliError(
  action: () => Promise<void>,
  exitCode = 1,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    writeToStderr(error.message);
    process.exitCode = exitCode;
  }
}
