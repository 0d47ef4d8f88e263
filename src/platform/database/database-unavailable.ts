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
 * SQLSTATEs of a server that cannot work now: connection exceptions (08), out of
 * resources (53), operator intervention (57: shutdown, starting up, statement
 * cancelled by its time limit), system errors (58), a lock not had in time
 * (55P03) and a replica that takes no writes (25006).
 */
const serverCode = /^(08...|53...|57...|58...|55P03|25006)$/;

/** What `pg` and its pool say in errors without a code. */
const driverMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Query read timeout)/;

/**
 * Turns the failure of a database call into a 503 `unavailable`, if it is one of
 * the connection or of the server as a whole; undefined for any other error. Ask
 * it about errors of database calls only: an upstream's refused connection looks
 * the same.
 */
export function databaseUnavailable(error: unknown): ApiError | undefined {
  if (!causes(error).some(isConnectionFailure)) return undefined;
  return new ApiError("unavailable", "The database cannot be reached now. Try again in a second.", {
    retryAfterSeconds: 1,
    cause: error,
  });
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

/** A missing file is one only where it is the unix socket of a server that is down. */
function isConnectionFailure(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return "syscall" in error && error.syscall === "connect";
  return socketCodes.has(code) || serverCode.test(code) || driverMessage.test(error.message);
}
