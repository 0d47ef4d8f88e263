import type { ChildProcess } from "node:child_process";

/** What Node's cluster sends with a connection, and what comes back when the worker has it. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface Closable {
  close(): void;
}

/**
 * Closes the connections that a worker was sent and died before it took. Node
 * (24) keeps them open for ever, and their callers would wait as long. A worker
 * gets its next connection when it has taken the last, so there is one at most.
 * Where a later Node speaks otherwise, this does nothing.
 */
export function closeUntakenConnections(child: ChildProcess): void {
  const untaken = new Map<number | undefined, Closable>();
  const send = child.send.bind(child) as (message: ClusterMessage, ...rest: unknown[]) => boolean;
  const watched = (message: ClusterMessage, ...rest: unknown[]): boolean => {
    const [handle] = rest;
    if (message.act === "newconn") untaken.set(message.seq, handle as Closable);
    return send(message, ...rest);
  };
  child.send = watched;
  child.on("internalMessage", ({ ack }: ClusterMessage) => untaken.delete(ack));
  child.once("exit", () => {
    for (const connection of untaken.values()) connection.close();
  });
}
