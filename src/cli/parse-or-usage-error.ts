import type { Command } from "commander";

/** What `read` makes of the command line; what it throws is a mistake in that line. */
export function parseOrThrowUsageError<Value>(command: Command, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    return command.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  }
}
