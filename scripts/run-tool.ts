import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** Folder of the repository, where every tool runs. */
export const repository = fileURLToPath(new URL("..", import.meta.url));

/** Where a tool is run. */
export interface ToolOptions {
  /** Folders in which programs are looked for, before all others. */
  readonly path?: readonly string[];
}

/** Runs a command of node_modules or of the system and shows what it prints; rejects when it fails. */
export async function runTool(
  command: string,
  args: readonly string[],
  { path = [] }: ToolOptions = {},
): Promise<void> {
  const child = spawn(command, args, {
    cwd: repository,
    env: toolEnvironment(path),
    stdio: "inherit",
  });
  await succeeded(command, args, once(child, "close"));
}

/** Runs a command like `runTool`, but gives its standard output, trimmed, instead of showing it. */
export async function readTool(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, {
    cwd: repository,
    env: toolEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await Promise.all([
    text(child.stdout),
    succeeded(command, args, once(child, "close")),
  ]);
  return output.trim();
}

/** The commands of node_modules come first, also where the script was not started by npm. */
function toolEnvironment(path: readonly string[] = []): NodeJS.ProcessEnv {
  const binaries = join(repository, "node_modules/.bin");
  const folders = [...path, binaries, process.env["PATH"] ?? ""];
  return { ...process.env, PATH: folders.join(delimiter) };
}

async function succeeded(
  command: string,
  args: readonly string[],
  closed: Promise<unknown[]>,
): Promise<void> {
  const [code] = await closed;
  if (code !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed with exit code ${String(code)}.`);
  }
}
