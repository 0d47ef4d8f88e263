import { isatty } from "node:tty";
import { destination, pino, type DestinationStream, type Logger } from "pino";
import { GatheredLines } from "./gathered-lines.ts";

export type { Logger };

/** Fields whose values never reach a log, wherever they stand. */
const redactedPaths = [
  "authorization",
  "cookie",
  "api_key",
  "apiKey",
  "secret",
  "token",
  "password",
  "headers",
  "*.authorization",
  "*.cookie",
  "*.api_key",
  "*.apiKey",
  "*.secret",
  "*.token",
  "*.password",
  "*.headers",
];

const standardError = 2;

/** The loggers of the process; they write to one place. */
export interface Logs {
  readonly log: Logger;
  /**
   * For the one line per request, whose fields are all known: looking for secrets
   * in it would cost more than writing it.
   */
  readonly accessLog: Logger;
}

/**
 * The loggers of the process: JSON lines on stderr, readable lines when stderr
 * is a terminal. JSON is gathered and written asynchronously, so that a slow
 * reader of the log does not slow the requests; `flushLog` empties the buffer
 * before exit.
 */
export async function createLogs(level: string): Promise<Logs> {
  return logsTo(await standardErrorStream(), level);
}

/** The same, to a stream of one's own. */
export function logsTo(stream: DestinationStream, level: string): Logs {
  const options = { level, base: { service: "causeway", pid: process.pid }, timestamp: isoTime() };
  const redact = { paths: redactedPaths, censor: "[redacted]" };
  return { log: pino({ ...options, redact }, stream), accessLog: pino(options, stream) };
}

async function standardErrorStream(): Promise<DestinationStream> {
  if (!isatty(standardError)) {
    return new GatheredLines(destination({ fd: standardError, sync: false }));
  }
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ colorize: true, ignore: "pid,service" });
  return { write: (line: string) => void process.stderr.write(format(line)) };
}

/** RFC 3339 in UTC; made once for all lines of a millisecond. */
function isoTime(): () => string {
  let at = 0;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** Resolves when every line so far is written, or after a second. */
export async function flushLog(log: Logger): Promise<void> {
  await Promise.race([
    new Promise<void>((resolve) => log.flush(() => resolve())),
    new Promise<void>((resolve) => setTimeout(resolve, 1000).unref()),
  ]);
}
