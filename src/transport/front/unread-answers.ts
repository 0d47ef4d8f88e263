import type { Socket } from "node:net";
import type { HttpListenerLimits } from "./front-limits.ts";

/** A response of either version of HTTP. */
export interface Http1Or2Response {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  /** Bytes that were written and that the system has not taken. */
  readonly writableLength: number;
  once(event: "close" | "finish", listener: () => void): unknown;
}

type UnreadLimits = Pick<
  HttpListenerLimits,
  "checkMs" | "untakenMs" | "maxUnreadConnectionBytes" | "maxUnreadBytes"
>;

/** A stream may stand still for so many times as long as a whole answer: it has limits of its own. */
const streamPatience = 3;

/** More than a stream leaves unread before whoever writes it waits. */
const mostStreamBytes = 128 * 1024;

/** What a GET counts until its head has gone out. */
const expectedBytes = 128 * 1024;

/** Fewer bytes than this are no progress: answers to pings are sent while the caller takes no answer. */
const leastBytes = 1024;

/**
 * Bounds what the callers of one port do not read. An HTTP/2 connection waits with further
 * requests while more than `maxUnreadConnectionBytes` of its whole answers are unread; one to
 * a GET counts from its request, so that many cannot be asked for before the first is there. A
 * connection that takes nothing of what waits for it for `untakenMs` is closed. Where all
 * unread answers together exceed `maxUnreadBytes`, those connections are closed first that
 * have taken nothing for the longest time.
 */
export class UnreadResponseLimiter {
  readonly #limits: UnreadLimits;
  readonly #connections = new Map<Socket, AnsweredConnection>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  /** Watches a response until it closes. `isGet`: its answer counts before it is known. */
  add(socket: Socket, response: Http1Or2Response, isGet = false): void {
    this.#of(socket).add(response, isGet);
    this.#timer ??= setInterval(() => this.#look(), this.#limits.checkMs).unref();
  }

  /** Watches a connection of another protocol until it closes: what it has not taken counts. */
  addUpgraded(socket: Socket): void {
    this.add(socket, {
      headersSent: true,
      get writableEnded() {
        return socket.writableEnded;
      },
      get writableLength() {
        return socket.writableLength;
      },
      once: (event, listener) => socket.once(event, listener),
    });
  }

  /** Counts an answer that is held whole, whatever of it has been written. */
  hold(response: Http1Or2Response, bytes: number): void {
    heldBytes.set(response, bytes);
  }

  /**
   * Calls `serve` as soon as the connection has no more unread bytes than it may. Returns a
   * function that takes the call back.
   */
  whenRead(socket: Socket, serve: () => void): () => void {
    return this.#of(socket).whenRead(serve);
  }

  #of(socket: Socket): AnsweredConnection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = new AnsweredConnection(socket, this.#limits.maxUnreadConnectionBytes);
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    return connection;
  }

  #look(): void {
    const now = performance.now();
    let bytes = 0;
    const unread: AnsweredConnection[] = [];
    for (const connection of this.#connections.values()) {
      connection.look(now);
      connection.serveWaiting();
      if (connection.unreadBytes === 0) continue;
      if (now - connection.takenAt > this.#limits.untakenMs * connection.patience) {
        connection.socket.destroy();
        continue;
      }
      bytes += connection.unreadBytes;
      unread.push(connection);
    }
    if (bytes > this.#limits.maxUnreadBytes) this.#closeSome(unread, bytes);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #closeSome(unread: AnsweredConnection[], bytes: number): void {
    unread.sort((one, other) => one.takenAt - other.takenAt);
    let left = bytes;
    for (const { socket, unreadBytes } of unread) {
      if (left <= this.#limits.maxUnreadBytes) return;
      left -= unreadBytes;
      socket.destroy();
    }
  }
}

/** Bytes of whole answers that are written in pieces. */
const heldBytes = new WeakMap<Http1Or2Response, number>();

/** Node tells how much a connection has sent at its handle alone, to which HTTP/2 writes past the socket. */
interface SocketHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** One connection with answers that its caller may not have read. */
class AnsweredConnection {
  readonly socket: Socket;
  /** `performance.now()` when it last took bytes, or had nothing to take. */
  takenAt = performance.now();
  /** Bytes that waited at the last look. */
  unreadBytes = 0;
  /** How many times the usual time it may take nothing. */
  patience = 1;
  readonly #maxBytes: number;
  readonly #responses = new Set<Http1Or2Response>();
  readonly #gets = new WeakSet<Http1Or2Response>();
  readonly #waiting = new Set<() => void>();
  #sent = 0;

  constructor(socket: Socket, maxBytes: number) {
    this.socket = socket;
    this.#maxBytes = maxBytes;
  }

  add(response: Http1Or2Response, isGet: boolean): void {
    this.#responses.add(response);
    if (isGet) this.#gets.add(response);
    const leave = (): void => {
      this.#responses.delete(response);
      this.serveWaiting();
    };
    response.once("finish", leave);
    response.once("close", leave);
  }

  whenRead(serve: () => void): () => void {
    this.#waiting.add(serve);
    this.serveWaiting();
    return () => this.#waiting.delete(serve);
  }

  look(now: number): void {
    this.unreadBytes = 0;
    this.patience = 1;
    for (const response of this.#responses) {
      this.unreadBytes += unreadBytes(response);
      if (!isWhole(response)) this.patience = streamPatience;
    }
    const sent = sentBytes(this.socket);
    if (this.unreadBytes > 0 && sent - this.#sent < leastBytes) return;
    this.#sent = sent;
    this.takenAt = now;
  }

  /** Serves what may be served now. No event tells that a head alone has gone out. */
  serveWaiting(): void {
    for (const serve of this.#waiting) {
      if (this.#wholeBytes() > this.#maxBytes) return;
      this.#waiting.delete(serve);
      serve();
    }
  }

  /** Streams that go on are held back by whoever writes them. */
  #wholeBytes(): number {
    let bytes = 0;
    for (const response of this.#responses) {
      if (isWhole(response)) bytes += unreadBytes(response);
      else if (!response.headersSent && this.#gets.has(response)) bytes += expectedBytes;
    }
    return bytes;
  }
}

function unreadBytes(response: Http1Or2Response): number {
  return heldBytes.get(response) ?? response.writableLength;
}

function isWhole(response: Http1Or2Response): boolean {
  return response.writableEnded || unreadBytes(response) > mostStreamBytes;
}

function sentBytes(socket: Socket & { _handle?: SocketHandle | null }): number {
  // oxlint-disable-next-line no-underscore-dangle
  const handle = socket._handle ?? undefined;
  return handle === undefined ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
