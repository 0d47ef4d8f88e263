import { CommanderError, type Command } from "commander";
import { sanitizeLines, withoutLogCommands } from "./format-cell.ts";

/** Makes a command line that is not understood throw, after a hint at the help of the command. */
export function throwOnUsageErrors(command: Command, parents = ""): void {
  const path = `${parents}${command.name()}`;
  command.exitOverride().showHelpAfterError(`See: ${path} --help`);
  // A file that somebody else wrote may be quoted.
  command.configureOutput({
    writeErr: (text) => process.stderr.write(withoutLogCommands(sanitizeLines(text))),
  });
  for (const child of command.commands) throwOnUsageErrors(child, `${path} `);
}

/** Exit code for what commander threw: 0 after `--help`, 2 for a wrong command line; undefined for other errors. */
export function usageExitCode(error: unknown): number | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  return error.exitCode === 0 ? 0 : 2;
}
