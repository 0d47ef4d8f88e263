import { isatty } from "node:tty";
import { destination, pino, type DestinationStream, type Logger } from "pino";
import { createAccessLog, createLogTimeFormatter, type AccessLog } from "./speed/access-log.ts";
import { LogLineBuffer, type LogLineDestination } from "./speed/line-buffer.ts";
import { withTimeoutFallback } from "./with-timeout.ts";

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
export interface ProcessLoggers {
  readonly log: Logger;
  readonly accessLog: AccessLog;
}

/** Stands on each line of a process that is one of several, which write to one place. */
export interface WorkerNumberLogField {
  readonly worker: number;
}

/**
 * The loggers of the process: JSON lines on stderr, readable lines when stderr
 * is a terminal. JSON is gathered and written asynchronously, so that a slow
 * reader of the log does not slow the requests; `flushLog` empties the buffer
 * before exit.
 */
export async function createProcessLoggers(
  level: string,
  worker?: WorkerNumberLogField,
): Promise<ProcessLoggers> {
  return createProcessLoggersOnStream(await standardErrorStream(worker), level, worker);
}

/** The same, to a stream of one's own. */
export function createProcessLoggersOnStream(
  stream: DestinationStream,
  level: string,
  worker?: WorkerNumberLogField,
): ProcessLoggers {
  const base = { service: "causeway", pid: process.pid, ...worker };
  const options = { level, base, timestamp: createLogTimeFormatter() };
  const redact = { paths: redactedPaths, censor: "[redacted]" };
  return {
    log: pino({ ...options, redact }, stream),
    accessLog: createAccessLog(stream, level, base),
  };
}

/** A pipe takes so many bytes at once, or none of them (PIPE_BUF of Linux). */
const wholeWrite = 4096;

/** Where several processes write to one pipe, larger pieces could mix within a line. */
async function standardErrorStream(
  worker: WorkerNumberLogField | undefined,
): Promise<DestinationStream> {
  if (!isatty(standardError)) {
    const isShared = worker !== undefined;
    const maxWrite = isShared ? { maxWrite: wholeWrite } : {};
    const sink = destination({
      fd: standardError,
      sync: false,
      contentMode: "buffer",
      ...maxWrite,
    });
    // Its types know of text alone.
    return new LogLineBuffer(
      sink as unknown as LogLineDestination,
      isShared ? wholeWrite : undefined,
    );
  }
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({
    colorize: true,
    ignore: "pid,service,worker",
    ...(worker !== undefined && { messageFormat: "worker {worker}: {msg}" }),
  });
  return { write: (line: string) => void process.stderr.write(format(line)) };
}

/** Resolves when every line so far is written, or after a second. */
export async function flushLog(log: Logger): Promise<void> {
  const flushed = new Promise<void>((resolve) => log.flush(() => resolve()));
  await withTimeoutFallback(flushed, 1000, undefined);
}
