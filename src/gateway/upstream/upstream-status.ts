/** Success statuses whose body is a whole answer. 204 and 205 have no body, 206 a part of one. */
const answerStatuses: ReadonlySet<number> = new Set([200, 201, 202, 203]);

/** Whether an answer with this status may have the body that the caller waits for. */
export function isSuccessBodyStatus(status: number): boolean {
  return answerStatuses.has(status);
}

/**
 * Errors of the connection between this server and the upstream: a proxy's credential, a wrong
 * server, another version of the protocol. The caller has a connection of its own.
 */
const connectionStatuses: ReadonlySet<number> = new Set([407, 421, 426, 505, 511]);

/** Returns the status that the caller gets for an upstream's error. */
export function toCallerErrorStatus(status: number): number {
  return connectionStatuses.has(status) ? 502 : status;
}
