import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";

/**
 * Runs buf of node_modules in the folder `root` and shows what it prints.
 * Rejects when it fails: a caller that only wants the status uses the message.
 */
export async function buf(root: string, args: readonly string[]): Promise<void> {
  const binaries = join(root, "node_modules/.bin");
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env["PATH"] ?? ""}` };
  const child = spawn(join(binaries, "buf"), args, { cwd: root, env, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) {
    throw new Error(`buf ${args.join(" ")} failed with exit code ${String(code)}.`);
  }
}
