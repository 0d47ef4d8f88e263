import type { ChildProcess } from "node:child_process";

/** What Node's cluster sends with a connection, and what comes back when the worker has it or refuses it. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
  readonly accepted?: boolean;
}

interface Closable {
  close(): void;
}

/**
 * Closes the connections that no worker takes: those that a worker was sent and
 * died before it took, and, when all of them stop, those that one gave back because
 * it listens no more. Node (24) keeps both open as long as the primary lives, and
 * their callers would wait as long. Where a later Node speaks otherwise, this does
 * nothing.
 */
export class OrphanedClientSocketCloser {
  /** With the worker that each was sent to; undefined: it was given back, and waits for another. */
  readonly #holders = new Map<Closable, ChildProcess | undefined>();
  #isStopping = false;

  /** Follows the connections that a worker is sent. */
  watch(child: ChildProcess): void {
    const sent = new Map<number | undefined, Closable>();
    const send = child.send.bind(child) as (message: ClusterMessage, ...rest: unknown[]) => boolean;
    const watched = (message: ClusterMessage, ...rest: unknown[]): boolean => {
      if (message.act === "newconn") {
        const connection = rest[0] as Closable;
        sent.set(message.seq, connection);
        this.#holders.set(connection, child);
      }
      return send(message, ...rest);
    };
    child.send = watched;
    child.on("internalMessage", ({ ack, accepted }: ClusterMessage) => {
      const connection = sent.get(ack);
      sent.delete(ack);
      if (connection !== undefined) this.#answered(child, connection, accepted !== false);
    });
    child.once("exit", () => {
      for (const connection of sent.values()) this.#close(connection);
    });
  }

  /** No worker will take another one. */
  stop(): void {
    this.#isStopping = true;
    this.#closeWaiting();
  }

  #answered(child: ChildProcess, connection: Closable, isTaken: boolean): void {
    if (isTaken) {
      this.#holders.delete(connection);
      return;
    }
    // Node may have sent it to another one already.
    if (this.#holders.get(connection) === child) this.#holders.set(connection, undefined);
    if (this.#isStopping) setImmediate(() => this.#closeWaiting());
  }

  #closeWaiting(): void {
    for (const [connection, holder] of this.#holders) {
      if (holder === undefined) this.#close(connection);
    }
  }

  #close(connection: Closable): void {
    this.#holders.delete(connection);
    connection.close();
  }
}
