import { CommanderError, type Command } from "commander";
import { sanitizeTerminalLines, escapeCiLogCommands } from "./format-cell.ts";

/** Makes a command line that is not understood throw, after a hint at the help of the command. */
export function configureUsageErrors(command: Command, parents = ""): void {
  const path = `${parents}${command.name()}`;
  command.exitOverride().showHelpAfterError(`See: ${path} --help`);
  // A file that somebody else wrote may be quoted.
  command.configureOutput({
    writeErr: (text) => process.stderr.write(escapeCiLogCommands(sanitizeTerminalLines(text))),
  });
  for (const child of command.commands) configureUsageErrors(child, `${path} `);
}

/** Exit code for what commander threw: 0 after `--help`, 2 for a wrong command line; undefined for other errors. */
export function commanderExitCode(error: unknown): number | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  return error.exitCode === 0 ? 0 : 2;
}
