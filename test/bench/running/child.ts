import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How a process of the benchmark is started. */
export interface ChildOptions {
  /** For messages and the name of its log. */
  readonly name: string;
  readonly command: string;
  readonly parameters: readonly string[];
  /** Cores to pin it to, as `taskset -c` takes them; undefined: not pinned. */
  readonly cores: string | undefined;
  /** Its whole environment; undefined: that of this process. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Resolves when the process serves, with its base address, or "" when it has none. */
  readonly ready: (child: ChildProcess) => Promise<string>;
  /** Opens a message channel, by which Node children also learn that this process is gone. */
  readonly channel: boolean;
  readonly logFile: string;
}

/** A started process. */
export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Base address, or "". */
  readonly url: string;
  /** From the start of the process until it served. */
  readonly readyMs: number;
  /** SIGTERM, and SIGKILL when that is not enough. Resolves when the process is gone. */
  stop(): Promise<void>;
}

const readyLimitMs = 60_000;
const stopLimitMs = 20_000;

/**
 * Starts a process and waits until it is ready; `onStarted` gets it before that,
 * so that it can be ended when it never is. `taskset` replaces itself by the
 * command, so that the pid is the command's own.
 */
export async function startChild(
  options: ChildOptions,
  onStarted: (child: Child) => void,
): Promise<Child> {
  const startedAt = performance.now();
  const child = launch(options);
  const pid = child.pid;
  if (pid === undefined) throw await startError(child);
  const started = { process: child, pid, url: "", readyMs: 0, stop: () => stop(child) };
  onStarted(started);
  const url = await Promise.race([options.ready(child), failure(options, child)]);
  return { ...started, url, readyMs: performance.now() - startedAt };
}

function launch(options: ChildOptions): ChildProcess {
  const { command, parameters, cores } = options;
  const log = openSync(options.logFile, "w");
  try {
    return spawn(
      cores === undefined ? command : "taskset",
      cores === undefined ? parameters : ["-c", cores, command, ...parameters],
      {
        stdio: ["ignore", "pipe", log, ...(options.channel ? ["ipc" as const] : [])],
        env: options.environment ?? process.env,
      },
    );
  } finally {
    closeSync(log);
  }
}

async function startError(child: ChildProcess): Promise<unknown> {
  const [error]: unknown[] = await once(child, "error");
  return error;
}

/** Rejects when the process ends, fails to start, or is not ready in time. */
async function failure(options: ChildOptions, child: ChildProcess): Promise<never> {
  const limit = delay(readyLimitMs, "not ready in time", { ref: false });
  const reason = await Promise.race([
    limit,
    once(child, "exit").then(([code, signal]) => `ended with ${code ?? signal}`),
  ]);
  const log = readFileSync(options.logFile, "utf8").trimEnd();
  throw new Error(`${options.name} ${reason}. Its last words:\n${log.slice(-2000)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
  await exited;
  clearTimeout(killer);
}
