import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type QueryArrayResult } from "pg";

const sslRequest = 80_877_103;

/**
 * A transaction pooler as pgbouncer is one: clients come in without a session of
 * their own and borrow one for each transaction. It knows simple statements only.
 */
export class TransactionPooler {
  readonly connectionString: string;
  readonly #target: string;
  readonly #directory: string;
  readonly #idle: Client[] = [];
  readonly #sessions: Client[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(connectionString: string, directory: string) {
    this.#target = connectionString;
    this.#directory = directory;
    const url = new URL(connectionString);
    url.searchParams.set("host", directory);
    this.connectionString = url.href;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(connectionString: string): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(
      connectionString,
      await mkdtemp(join(tmpdir(), "pooler-")),
    );
    pooler.#server.listen(join(pooler.#directory, ".s.PGSQL.5432"));
    await once(pooler.#server, "listening");
    return pooler;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#sessions.map((session) => session.end()));
    await rm(this.#directory, { recursive: true, force: true });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    const client = new PooledClient(socket, {
      borrow: () => this.#borrow(),
      giveBack: (session) => this.#idle.push(session),
    });
    socket.on("data", (chunk: Buffer) => client.receive(chunk));
  }

  /** The session that was given back last, so that the next client gets the one before it. */
  async #borrow(): Promise<Client> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const session = new Client({ connectionString: this.#target });
    await session.connect();
    this.#sessions.push(session);
    return session;
  }
}

interface Sessions {
  borrow(): Promise<Client>;
  giveBack(session: Client): void;
}

class PooledClient {
  readonly #socket: Socket;
  readonly #sessions: Sessions;
  #received = Buffer.alloc(0);
  #started = false;
  #inTransaction: Client | undefined;
  #work = Promise.resolve();

  constructor(socket: Socket, sessions: Sessions) {
    this.#socket = socket;
    this.#sessions = sessions;
  }

  receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (let message = this.#next(); message !== undefined; message = this.#next()) {
      const current = message;
      this.#work = this.#work.then(() => this.#answer(current));
    }
  }

  /** A whole message: the first has no type. */
  #next(): { type: string; body: Buffer } | undefined {
    const offset = this.#started ? 1 : 0;
    if (this.#received.length < offset + 4) return undefined;
    const end = offset + this.#received.readInt32BE(offset);
    if (this.#received.length < end) return undefined;
    const type = this.#started ? String.fromCharCode(this.#received[0] ?? 0) : "startup";
    const body = this.#received.subarray(offset + 4, end);
    this.#received = this.#received.subarray(end);
    if (type === "startup" && body.readInt32BE() !== sslRequest) this.#started = true;
    return { type, body };
  }

  async #answer({ type, body }: { type: string; body: Buffer }): Promise<void> {
    if (type === "startup") this.#socket.write(body.readInt32BE() === sslRequest ? "N" : welcome());
    if (type === "Q") await this.#run(body.subarray(0, -1).toString());
    if (type === "X") this.#socket.end();
  }

  async #run(sql: string): Promise<void> {
    const session = this.#inTransaction ?? (await this.#sessions.borrow());
    const result = await session.query<unknown[]>({ text: sql, rowMode: "array" });
    if (sql === "begin") this.#inTransaction = session;
    if (sql === "commit") this.#inTransaction = undefined;
    if (this.#inTransaction === undefined) this.#sessions.giveBack(session);
    this.#socket.write(encode(result, this.#inTransaction === undefined ? "I" : "T"));
  }
}

function welcome(): Buffer {
  return Buffer.concat([
    frame("R", int32(0)),
    frame("K", int32(1), int32(1)),
    frame("Z", text("I")),
  ]);
}

function encode({ fields, rows, command }: QueryArrayResult<unknown[]>, status: string): Buffer {
  const description = fields.map(({ name, dataTypeID }) =>
    Buffer.concat([
      text(`${name}\0`),
      int32(0),
      int16(0),
      int32(dataTypeID),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  const data = rows.map((row) => {
    const values = row.map((value) => text(String(value)));
    return frame(
      "D",
      int16(row.length),
      ...values.flatMap((value) => [int32(value.length), value]),
    );
  });
  return Buffer.concat([
    ...(fields.length > 0 ? [frame("T", int16(fields.length), ...description)] : []),
    ...data,
    frame("C", text(`${command}\0`)),
    frame("Z", text(status)),
  ]);
}

function frame(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([text(type), int32(body.length + 4), body]);
}

function text(value: string): Buffer {
  return Buffer.from(value);
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}
