import { sanitizeTerminalLines } from "../format-cell.ts";
import type { CliChatView } from "./response-view.ts";
import { writeToStderr } from "../output.ts";

/** The answer alone on standard output, for the next command; tools and notes on standard error. */
export class PipedChatView implements CliChatView {
  #last = "\n";

  text(words: string): void {
    // A file gets what was said; a terminal must not obey it.
    process.stdout.write(process.stdout.isTTY ? sanitizeTerminalLines(words) : words);
    this.#last = words;
  }

  reasoning(): void {}

  tool(line: string): void {
    writeToStderr(line);
  }

  note(line: string): void {
    writeToStderr(line);
  }

  wait(): void {}

  end(): void {
    if (!this.#last.endsWith("\n")) process.stdout.write("\n");
    this.#last = "\n";
  }
}

/** Shows nothing: what is printed is the whole response. */
export const silentChatView: CliChatView = {
  text: () => undefined,
  reasoning: () => undefined,
  tool: () => undefined,
  note: () => undefined,
  wait: () => undefined,
  end: () => undefined,
};
