import { isatty } from "node:tty";
import { destination, pino, stdTimeFunctions, type Logger } from "pino";

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

/**
 * The logger of the process: JSON lines on stderr, readable lines when stderr
 * is a terminal. JSON is written asynchronously, so that a slow reader of the
 * log does not slow the requests; `flushLog` empties the buffer before exit.
 */
export async function createLogger(level: string): Promise<Logger> {
  const options = {
    level,
    base: { service: "causeway", pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: redactedPaths, censor: "[redacted]" },
  };
  if (!isatty(standardError)) return pino(options, destination({ fd: standardError, sync: false }));
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ colorize: true, ignore: "pid,service" });
  return pino(options, { write: (line: string) => process.stderr.write(format(line)) });
}

/** Resolves when every line so far is written, or after a second. */
export async function flushLog(log: Logger): Promise<void> {
  await Promise.race([
    new Promise<void>((resolve) => log.flush(() => resolve())),
    new Promise<void>((resolve) => setTimeout(resolve, 1000).unref()),
  ]);
}
