import { sanitizeLines } from "../format-cell.ts";
import type { ResponseView } from "./response-view.ts";
import { writeError } from "../output.ts";

/** The answer alone on standard output, for the next command; tools and notes on standard error. */
export class PipedView implements ResponseView {
  #last = "\n";

  text(words: string): void {
    // A file gets what was said; a terminal must not obey it.
    process.stdout.write(process.stdout.isTTY ? sanitizeLines(words) : words);
    this.#last = words;
  }

  reasoning(): void {}

  tool(line: string): void {
    writeError(line);
  }

  note(line: string): void {
    writeError(line);
  }

  wait(): void {}

  end(): void {
    if (!this.#last.endsWith("\n")) process.stdout.write("\n");
    this.#last = "\n";
  }
}

/** Shows nothing: what is printed is the whole response. */
export const silentView: ResponseView = {
  text: () => undefined,
  reasoning: () => undefined,
  tool: () => undefined,
  note: () => undefined,
  wait: () => undefined,
  end: () => undefined,
};
