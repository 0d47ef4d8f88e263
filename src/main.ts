import { pinNextTickObjectShape } from "./platform/speed/pin-tick-shape.ts";
import { OperatorError } from "./platform/operator-error.ts";

/**
 * The `causeway` command. A plain `serve` needs no parser of command lines, which
 * would stay in memory as long as the server runs.
 */
export async function main(words: readonly string[]): Promise<void> {
  try {
    if (isPlainServe(words)) await serve(words[1]);
    else if (words[0] === "worker") await work();
    else await run(words);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

function isPlainServe([command, service, ...rest]: readonly string[]): boolean {
  return command === "serve" && service?.startsWith("-") !== true && rest.length === 0;
}

async function serve(service = "all"): Promise<void> {
  pinNextTickObjectShape();
  const app = await import("./app/serve.ts");
  await app.runServeCommand(service, process.env);
}

/** One of the processes of `CAUSEWAY_WORKERS`; nobody but their primary starts it. */
async function work(): Promise<void> {
  pinNextTickObjectShape();
  const { runWorkerProcess } = await import("./app/workers/worker.ts");
  await runWorkerProcess();
}

async function run(words: readonly string[]): Promise<void> {
  process.stdout.on("error", endUnread);
  const { runCommandLine } = await import("./command-line.ts");
  const exitCode = await runCommandLine(words);
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** As a shell has it for SIGPIPE, which Node ignores: 128 and its number. */
const unreadExitCode = 141;

/** Whoever read the output has enough of it, as `head` has: that is nobody's failure to tell. */
function endUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(unreadExitCode);
}

/** One clear line for what the operator can mend; anything else is a defect and shows its stack. */
function reportFailure(error: unknown): number {
  if (error instanceof OperatorError) {
    process.stderr.write(`causeway: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `causeway: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}
