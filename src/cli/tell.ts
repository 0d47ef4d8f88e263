import { CallError } from "./call-error.ts";

/** Does what a command does; a `CallError` is told on standard error and ends it with 1, or as said. */
export async function tell(action: () => Promise<void>, exitCode = 1): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    console.error(error.message);
    process.exitCode = exitCode;
  }
}
