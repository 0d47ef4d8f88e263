import { Command } from "commander";
import { readPackageVersion } from "./app/package-version.ts";
import { sanitizeTerminalLines } from "./cli/format-cell.ts";
import { configureUsageErrors, commanderExitCode } from "./cli/usage-errors.ts";

/**
 * Runs any command. Those that run on the server's own machine (`serve`, `keys
 * rewrap`, `database migrate`) are here; all others are a client of the server
 * and are loaded only when they are asked for. Resolves with the exit code of a
 * command line that was not understood, which has been told; rejects with what a
 * command failed with.
 */
export async function runCommandLine(words: readonly string[]): Promise<number | undefined> {
  const program = new Command("causeway")
    .description("Model gateway and dependency-health service.")
    .version(readPackageVersion(), "--version", "print the version");
  addLocalCommands(program);
  if (words[0] !== "serve") {
    const { addApiClientCommands } = await import("./cli/client-commands.ts");
    addApiClientCommands(program);
  }
  configureUsageErrors(program);
  try {
    await program.parseAsync(words, { from: "user" });
    return undefined;
  } catch (error) {
    const exitCode = commanderExitCode(error);
    if (exitCode === undefined) throw withPrintableStack(error);
    return exitCode;
  }
}

/** The stack of a defect is printed, and may quote what a server answered. */
function withPrintableStack(error: unknown): unknown {
  if (error instanceof Error) error.stack &&= sanitizeTerminalLines(error.stack);
  return error;
}

function addLocalCommands(program: Command): void {
  program
    .command("serve [service]")
    .description("start the services: all (default), gateway or tools")
    .action(async (service: string | undefined) => {
      const { runServeCommand: serve } = await import("./app/serve.ts");
      await serve(service ?? "all", process.env);
    });
  program
    .command("keys")
    .description("caller keys, and renewal of the encryption under which secrets are stored")
    .command("rewrap")
    .description("move every sealed value to the first key of CAUSEWAY_SECRET_KEY")
    .action(async () => {
      const { runMasterKeyRewrapCommand: rewrapKeys } = await import("./app/start/rewrap-keys.ts");
      await rewrapKeys(process.env);
    });
  program
    .command("database")
    .description("the database of the configuration")
    .command("migrate")
    .description("run the pending migrations and exit; `serve` does it at every start")
    .action(async () => {
      const { runMigrateCommand: migrateOnDemand } = await import("./app/start/migrate-command.ts");
      await migrateOnDemand(process.env);
    });
}
