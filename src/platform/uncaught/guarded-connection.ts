import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { throwUncaught } from "./throw-uncaught.ts";

/** From a caller, or to an upstream. */
export type SocketConnectionDirection = "inbound" | "outbound";

/** A connection that code runs for, as long as its socket is open. */
export class ErrorIsolatedConnection {
  readonly direction: SocketConnectionDirection;
  #socket: Socket | undefined;

  constructor(socket: Socket, direction: SocketConnectionDirection) {
    this.direction = direction;
    this.#socket = socket;
    // What was begun for it may live longer, a pooled connection for instance, and holds this.
    socket.once("close", () => (this.#socket = undefined));
  }

  /** Address and port of the other side; undefined once the connection is closed. */
  get peer(): string | undefined {
    const { remoteAddress, remotePort } = this.#socket ?? {};
    return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
  }

  close(): void {
    this.#socket?.destroy();
  }
}

const connections = new AsyncLocalStorage<ErrorIsolatedConnection>();

/** The connection that the running code works for, through its timers and promises. */
export function getActiveConnectionContext(): ErrorIsolatedConnection | undefined {
  return connections.getStore();
}

/**
 * Forgets it for whatever runs next. After an uncaught error Node leaves the
 * context of the failed code in place, and gives it to new connections.
 */
export function clearActiveConnectionContext(): void {
  connections.enterWith(undefined as unknown as ErrorIsolatedConnection);
}

/**
 * From here on, whatever listens to the socket runs for this connection, and so
 * does all that it begins. Returns a way to run other code for it. The context is made
 * once: each `run` of the storage would make another.
 */
export function isolateConnectionErrors(
  socket: Socket,
  direction: SocketConnectionDirection,
): (run: () => void) => void {
  const connection = new ErrorIsolatedConnection(socket, direction);
  const context = connections.run(connection, () => new AsyncResource("GuardedConnection"));
  const emit = guardedEmit(socket);
  socket.emit = (...event: EmittedEvent) => context.runInAsyncScope(emit, undefined, event);
  return (run) => context.runInAsyncScope(run);
}

/**
 * What a listener throws reaches Node as an uncaught error of the connection that
 * it ran for. Thrown through the emitter, it would be one of the event loop.
 */
export function rethrowListenerErrorsAsUncaught(emitter: EventEmitter): void {
  const emit = guardedEmit(emitter);
  emitter.emit = (...event) => emit(event);
}

type EmittedEvent = Parameters<EventEmitter["emit"]>;

function guardedEmit(emitter: EventEmitter): (event: EmittedEvent) => boolean {
  const emit = emitter.emit.bind(emitter);
  return (event) => {
    try {
      return emit(...event);
    } catch (error) {
      throwUncaught(error);
      return true;
    }
  };
}
