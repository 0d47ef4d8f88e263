import { sanitizeTerminalLine, escapeCiLogCommands } from "../format-cell.ts";

/** Tells on standard error that something is going on; `done` takes it away again where it can. */
export interface WaitIndicator {
  done(): void;
}

const tickMs = 1000;

/** Takes away the line that the cursor is in. */
export const eraseLineSequence = "\r\u001b[K";

/** A bar of so many characters, filled as far as its share, 0 to 1. */
export function formatProgressBar(share: number, width: number): string {
  return `[${"#".repeat(Math.floor(share * width)).padEnd(width, "-")}]`;
}

/**
 * Says what is waited for. A terminal gets one line that counts the seconds and
 * goes away; anything else gets one line.
 */
export function startWaitIndicator(
  text: string,
  stream: NodeJS.WriteStream = process.stderr,
): WaitIndicator {
  const what = escapeCiLogCommands(sanitizeTerminalLine(text));
  if (!stream.isTTY) {
    stream.write(`${what} …\n`);
    return { done: () => undefined };
  }
  let seconds = 0;
  const show = () => stream.write(`${eraseLineSequence}${what} … ${seconds} s`);
  show();
  const timer = setInterval(() => {
    seconds += 1;
    show();
  }, tickMs);
  return {
    done: () => {
      clearInterval(timer);
      stream.write(eraseLineSequence);
    },
  };
}
