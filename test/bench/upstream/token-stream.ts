import type { Socket } from "node:net";
import { tokenPeriodMs } from "../wire/response-sizes.ts";

/** The bytes of a streamed answer, framing included. */
export interface StreamScript {
  /** The head, the opening events and the first token: one write. */
  readonly firstToken: Buffer;
  readonly token: Buffer;
  readonly end: Buffer;
}

/**
 * Writes a stream of `tokens` tokens, the first at once and then one per period.
 * Each token has its own deadline counted from the start, so that a late one
 * does not delay those after it. `onLeft` is called when the reader goes first.
 */
export function writeTokenStream(
  socket: Socket,
  script: StreamScript,
  tokens: number,
  onLeft: () => void,
): void {
  const startedAt = performance.now();
  let sent = 1;
  let timer: NodeJS.Timeout | undefined;
  const leave = () => {
    clearTimeout(timer);
    onLeft();
  };
  const schedule = () => {
    const dueMs = startedAt + sent * tokenPeriodMs;
    timer = setTimeout(step, Math.max(0, dueMs - performance.now()));
  };
  const step = () => {
    if (sent === tokens) {
      socket.off("close", leave);
      socket.write(script.end);
      return;
    }
    sent++;
    socket.write(script.token);
    schedule();
  };
  socket.once("close", leave);
  socket.write(script.firstToken);
  schedule();
}
