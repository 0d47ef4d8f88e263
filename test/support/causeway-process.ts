import { spawn, type ChildProcess } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The clone that is tested. */
export const repository = join(import.meta.dirname, "../..");

/** The program, which starts with the flags for Node that stand in its first line. */
export const program = join(repository, "bin/causeway.js");

/** A search path on which the program finds the Node of this process. */
export const programPath = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);

export interface CausewayOptions {
  /** Settings; nothing of the test run's own environment comes with them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Working directory; the clone unless said. */
  readonly directory?: string;
  /** What is run in place of `node bin/causeway.js`, which has no flags for Node. */
  readonly command?: readonly [string, ...string[]];
  /** What is piped into it; unless said, nothing is. */
  readonly input?: string;
}

/** How a process ended, and all that it wrote. */
export interface Outcome {
  /** Undefined: a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<CausewayProcess>();
process.on("exit", () => {
  for (const child of running) child.signalGroup("SIGKILL");
});

/** A real `causeway` process, the head of a process group of its own. */
export class CausewayProcess {
  readonly pid: number;
  /** Settles when the process has ended and everybody who had its output has closed it. */
  readonly outcome: Promise<Outcome>;
  readonly #child: ChildProcess;
  /** Tells that more was written, or that nothing more will be. */
  readonly #output = new EventEmitter();
  #isOver = false;
  #stdout = "";
  #stderr = "";

  protected constructor(child: ChildProcess) {
    if (child.pid === undefined) throw new Error("The process could not be started.");
    this.pid = child.pid;
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
      this.#output.emit("change");
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
      this.#output.emit("change");
    });
    this.outcome = this.#watch();
    running.add(this);
  }

  /** Starts `causeway <words>`. */
  static start(words: readonly string[], options: CausewayOptions = {}): CausewayProcess {
    const stdin = options.input === undefined ? "ignore" : "pipe";
    const child = CausewayProcess.spawn(words, options, stdin);
    child.stdin?.end(options.input);
    return new CausewayProcess(child);
  }

  protected static spawn(
    words: readonly string[],
    options: CausewayOptions,
    stdin: "ignore" | "pipe",
  ): ChildProcess {
    const [command, ...first] = options.command ?? [process.execPath, program];
    return spawn(command, [...first, ...words], {
      cwd: options.directory ?? repository,
      env: { ...basicEnvironment(), ...options.environment },
      stdio: [stdin, "pipe", "pipe"],
      detached: true,
    });
  }

  /** What it has written to stdout so far. */
  get stdout(): string {
    return this.#stdout;
  }

  /** What it has written to stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The outcome; a process that does not end in time fails the test with what it said. */
  async ended(milliseconds = 60_000): Promise<Outcome> {
    const limit = delay(milliseconds, undefined, { ref: false });
    const outcome = await Promise.race([this.outcome, limit]);
    if (outcome !== undefined) return outcome;
    throw new Error(`It still runs after ${milliseconds} ms. It said:\n${this.#stderr}`);
  }

  /** The first line of stdout that fits; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#lineOf(() => this.#stdout, pattern);
  }

  /** The first line of stderr that fits; rejects when the process ends without one. */
  logLine(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#lineOf(() => this.#stderr, pattern);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** As a terminal does it: everybody in the group gets the signal. */
  signalGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch {
      // Nobody is left in the group.
    }
  }

  /** Resolves when more was written; rejects when nothing more will be, and with the signal's reason. */
  protected async written(signal: AbortSignal): Promise<void> {
    if (this.#isOver) throw new Error("It has ended.");
    await once(this.#output, "change", { signal });
  }

  async #lineOf(text: () => string, pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const wholeLines = text().split("\n").slice(0, -1);
      for (const line of wholeLines) {
        const match = pattern.exec(line);
        if (match !== null) return match;
      }
      if (this.#isOver) throw new Error(`It ended without ${pattern}. It said:\n${this.#stderr}`);
      await once(this.#output, "change");
    }
  }

  async #watch(): Promise<Outcome> {
    const [code, signal] = (await once(this.#child, "close")) as [
      number | null,
      NodeJS.Signals | null,
    ];
    running.delete(this);
    this.#isOver = true;
    this.#output.emit("change");
    return {
      code: code ?? undefined,
      signal: signal ?? undefined,
      stdout: this.#stdout,
      stderr: this.#stderr,
    };
  }
}

/** Runs a command that ends by itself. */
export function runCauseway(
  words: readonly string[],
  options: CausewayOptions = {},
): Promise<Outcome> {
  return CausewayProcess.start(words, options).ended();
}

/** Nobody has signed in here, whoever runs the tests. */
const withoutProfiles = join(import.meta.dirname, "no-configuration");

/**
 * What a shell has. Without the folders that npm put in front of the path of the
 * test run, because a stranger's shell finds Node 20 first.
 */
function basicEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "/", TMPDIR } = process.env;
  const folders = PATH.split(delimiter).filter((folder) => !folder.endsWith("node_modules/.bin"));
  return {
    PATH: folders.join(delimiter),
    HOME,
    XDG_CONFIG_HOME: withoutProfiles,
    npm_config_update_notifier: "false",
    npm_config_logs_max: "0",
    ...(TMPDIR !== undefined && { TMPDIR }),
  };
}
