import { DriverException } from "@mikro-orm/postgresql";
import { ApiError } from "../errors.ts";

/** Failures of the socket, as Node names them. */
const socketCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/**
 * SQLSTATEs of a server that cannot work now: connection exceptions (08), operator
 * intervention (57: shutdown, starting up), system errors (58) and a replica that
 * takes no writes (25006).
 */
const awayCode = /^(08...|57...|58...|25006)$/;

/**
 * SQLSTATEs of a server that has more to do than it can do in time: out of resources
 * (53: too many connections, for instance), a lock not had in time (55P03) and a
 * statement cancelled by its time limit (57014).
 */
const overloadedCode = /^(53...|55P03|57014)$/;

/** What `pg` and its pool say in errors without a code. */
const awayMessage =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

const noConnectionCode = "NO_DATABASE_CONNECTION";

/** No connection could be had within the limit, while the server lives. The pool logs it once for many calls. */
export class DatabasePoolExhaustedError extends Error {
  override readonly name = "DatabaseOverloadedError";
  /** Known by it, because the mapper makes an error of its own class of every error. */
  readonly code = noConnectionCode;
}

/** Longer than for a database that is away: every repeated request is load. */
const overloadedRetrySeconds = 2;

/**
 * Turns the failure of a database call into a 503 `unavailable`, if it is one of
 * the connection or of the server as a whole; undefined for any other error. The
 * message says whether the database is away or overloaded. Ask it about errors of
 * database calls only: an upstream's refused connection looks the same.
 */
export function toDatabaseUnavailableError(error: unknown): ApiError | undefined {
  switch (failureKind(error)) {
    case "down":
      return new ApiError(
        "unavailable",
        "The database cannot be reached now. Try again in a second.",
        { retryAfterSeconds: 1, cause: error },
      );
    case "overloaded":
      return new ApiError(
        "unavailable",
        "The database is overloaded and did not answer in time. Wait for `retry-after` seconds, then send the request again.",
        {
          retryAfterSeconds: overloadedRetrySeconds,
          cause: error,
          isLogged: causes(error).some((cause) => codeOf(cause) === noConnectionCode),
        },
      );
    case undefined:
      return undefined;
  }
}

/**
 * Turns an error of any origin into that 503 if the mapper or its pool threw it. Only these are
 * known to be of the database: their causes look like failures of upstreams.
 */
export function toUnavailableErrorFromDriver(error: unknown): ApiError | undefined {
  const isOfDatabase = causes(error).some(
    (cause) => cause instanceof DriverException || codeOf(cause) === noConnectionCode,
  );
  return isOfDatabase ? toDatabaseUnavailableError(error) : undefined;
}

/** Whether a database call failed because the server is down or hangs, not because it is slow or full. */
export function isDatabaseDownError(error: unknown): boolean {
  return failureKind(error) === "down";
}

/** Whether a database call failed because the server is slow or full. */
export function isDatabaseOverloadedError(error: unknown): boolean {
  return failureKind(error) === "overloaded";
}

function failureKind(error: unknown): "down" | "overloaded" | undefined {
  const chain = causes(error);
  if (chain.some(isOverload)) return "overloaded";
  return chain.some(isLoss) ? "down" : undefined;
}

/** The error and what it wraps, as far as ten levels. */
function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (
    let current = error;
    current instanceof Error && chain.length < 10;
    current = current.cause
  ) {
    chain.push(current);
  }
  return chain;
}

/** A unix socket whose server has not taken the connections before ours says EAGAIN. */
function isOverload(error: Error): boolean {
  const code = codeOf(error);
  if (code === noConnectionCode || overloadedCode.test(code)) return true;
  return code === "EAGAIN" && isOfConnect(error);
}

/** A missing file is one only where it is the unix socket of a server that is down. */
function isLoss(error: Error): boolean {
  const code = codeOf(error);
  if (code === "ENOENT") return isOfConnect(error);
  return socketCodes.has(code) || awayCode.test(code) || awayMessage.test(error.message);
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}

function isOfConnect(error: Error): boolean {
  return "syscall" in error && error.syscall === "connect";
}
