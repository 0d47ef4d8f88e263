import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

const ready = z.object({
  connectionString: z.string(),
  migrated: z.array(z.string()),
  /** From the call of `startEmbeddedPostgres` to its end. */
  milliseconds: z.number(),
});

export type HolderReady = z.infer<typeof ready>;

/** A process of its own that uses the embedded server of a data directory. */
export class Holder {
  readonly child: ChildProcess;
  readonly ready: Promise<HolderReady>;

  private constructor(child: ChildProcess, answer: Promise<HolderReady>) {
    this.child = child;
    this.ready = answer;
  }

  /** Starts it, as another user or as the head of a process group where that is asked for. */
  static start(
    dataDirectory: string,
    options: { uid?: number; gid?: number; detached?: boolean } = {},
  ): Holder {
    const script = join(import.meta.dirname, "hold-server.ts");
    const child = spawn(process.execPath, [script, dataDirectory], {
      ...options,
      cwd: "/",
      stdio: ["pipe", "pipe", "inherit"],
    });
    return new Holder(child, firstLine(child));
  }

  /** Lets it leave the server and waits for its end. */
  async leave(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.stdin?.end();
    await exit;
  }

  /** Kills it as `kill -9` does. */
  async kill(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}

async function firstLine(child: ChildProcess): Promise<HolderReady> {
  if (child.stdout === null) throw new Error("no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    return ready.parse(JSON.parse(line));
  }
  throw new Error("the process ended before it was ready");
}
