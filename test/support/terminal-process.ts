import type { ChildProcess } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { CausewayProcess, program } from "./causeway-process.ts";

/** How long a person would look at the screen. */
const showsMs = 20_000;

/** A `causeway` process in a terminal of its own, at whose keyboard a test sits. */
export class TerminalProcess extends CausewayProcess {
  readonly #keyboard: ChildProcess["stdin"];
  /** What of the screen was looked at. */
  #seen = 0;

  private constructor(child: ChildProcess) {
    super(child);
    this.#keyboard = child.stdin;
  }

  /** Starts `causeway <words>`, words without quotes or spaces; it ends with the test. */
  static open(
    words: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): TerminalProcess {
    // A shell that waits would get the Ctrl-C as well, and die of it.
    const command = ["exec", process.execPath, program, ...words].join(" ");
    const child = CausewayProcess.spawn(
      [],
      {
        command: terminalOf(command),
        environment: { TERM: "xterm", ...environment },
      },
      "pipe",
    );
    const terminal = new TerminalProcess(child);
    onTestFinished(() => terminal.signalGroup("SIGKILL"));
    return terminal;
  }

  type(text: string): void {
    this.#keyboard?.write(text);
  }

  /** What was written so far, without what steers a terminal. */
  get screen(): string {
    return stripVTControlCharacters(this.stdout).replaceAll("\r", "");
  }

  /** Waits until this is on the screen, below what was waited for before. */
  async shows(text: string): Promise<void> {
    const deadline = AbortSignal.timeout(showsMs);
    for (;;) {
      const at = this.screen.indexOf(text, this.#seen);
      if (at !== -1) {
        this.#seen = at + text.length;
        return;
      }
      await this.written(deadline).catch(() => {
        throw this.#without(text);
      });
    }
  }

  #without(text: string): Error {
    const rest = JSON.stringify(this.screen.slice(this.#seen));
    return new Error(`${JSON.stringify(text)} is not on the screen, which goes on with ${rest}`);
  }
}

/** The `script` of util-linux, and that of the BSDs and macOS. */
function terminalOf(command: string): [string, ...string[]] {
  if (process.platform === "linux") return ["script", "-qefc", command, "/dev/null"];
  return ["script", "-q", "/dev/null", "sh", "-c", command];
}
