/** One end of the channel between two processes: that of Node, or a double of it. */
export interface ProcessMessagePort {
  readonly connected: boolean;
  send(message: object, done: (error: Error | null) => void): unknown;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "disconnect", listener: () => void): unknown;
}

/** What one process says to another. */
type Message =
  | { readonly tell: string; readonly body: unknown }
  | { readonly ask: string; readonly number: number; readonly body: unknown }
  | { readonly answer: number; readonly body: unknown };

/** Nobody answers any more, or nobody did in time. */
export class PeerProcessUnreachableError extends Error {
  override readonly name = "NoReplyError";
}

interface PendingRequest {
  readonly resolve: (body: unknown) => void;
  readonly reject: (reason: PeerProcessUnreachableError) => void;
  readonly limit: NodeJS.Timeout;
}

/**
 * Tellings, and questions with answers, between the primary and one of its
 * workers. Both come from this release, so bodies are taken for what their kind
 * says. Never throws because the other process is gone.
 */
export class WorkerMessageChannel {
  readonly #port: ProcessMessagePort;
  readonly #pendingRequests = new Map<number, PendingRequest>();
  readonly #notificationHandlers = new Map<string, (body: unknown) => void>();
  /** Told before anybody listened: a worker hears of the others while it starts. */
  readonly #early = new Map<string, unknown[]>();
  readonly #requestHandlers = new Map<string, (body: unknown) => unknown>();
  #asked = 0;

  constructor(port: ProcessMessagePort) {
    this.#port = port;
    port.on("message", (message) => this.#receive(message as Message));
    port.on("disconnect", () => this.#giveUpAll());
  }

  /** Says something that needs no answer. */
  notify(kind: string, body: unknown = null): void {
    this.#send({ tell: kind, body });
  }

  /** Asks something; rejects with `PeerProcessUnreachableError` when the other end is gone or silent for so long. */
  request(kind: string, body: unknown, limitMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#port.connected) {
        reject(new PeerProcessUnreachableError(`The process that is asked for ${kind} is gone.`));
        return;
      }
      const number = (this.#asked += 1);
      const limit = setTimeout(() => this.#giveUpSoon(number), limitMs);
      this.#pendingRequests.set(number, { resolve, reject, limit });
      this.#send({ ask: kind, number, body });
    });
  }

  /** Calls the listener with what is told under this kind, and with what was told before; one listener each. */
  onNotification(kind: string, listener: (body: unknown) => void): void {
    this.#notificationHandlers.set(kind, listener);
    for (const body of this.#early.get(kind) ?? []) listener(body);
    this.#early.delete(kind);
  }

  /** Answers questions of this kind with what the function gives or resolves with. */
  onRequest(kind: string, answer: (body: unknown) => unknown): void {
    this.#requestHandlers.set(kind, answer);
  }

  #send(message: Message): void {
    // Who does not hear it has ended, which is seen elsewhere.
    if (this.#port.connected) this.#port.send(message, () => undefined);
  }

  #receive(message: Message): void {
    if ("tell" in message) this.#deliver(message.tell, message.body);
    else if ("ask" in message) void this.#answer(message.ask, message.number, message.body);
    else this.#settle(message.answer)?.resolve(message.body);
  }

  #deliver(kind: string, body: unknown): void {
    const listener = this.#notificationHandlers.get(kind);
    if (listener !== undefined) listener(body);
    else this.#early.set(kind, [...(this.#early.get(kind) ?? []), body]);
  }

  /** A question that cannot be answered is left alone: whoever asked does not wait for ever. */
  async #answer(kind: string, number: number, question: unknown): Promise<void> {
    const given = this.#requestHandlers.get(kind)?.(question);
    const body = given instanceof Promise ? await given.catch(() => undefined) : given;
    if (body !== undefined) this.#send({ answer: number, body });
  }

  #settle(number: number): PendingRequest | undefined {
    const question = this.#pendingRequests.get(number);
    clearTimeout(question?.limit);
    this.#pendingRequests.delete(number);
    return question;
  }

  /** Where this process itself stood still, the answer may be there, unread until now. */
  #giveUpSoon(number: number): void {
    setImmediate(() => this.#giveUp(number));
  }

  #giveUp(number: number): void {
    this.#settle(number)?.reject(
      new PeerProcessUnreachableError("The other process did not answer in time."),
    );
  }

  #giveUpAll(): void {
    for (const number of this.#pendingRequests.keys()) this.#giveUp(number);
  }
}
