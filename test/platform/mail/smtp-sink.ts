import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** A message as a mail server got it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: string;
}

/** A mail server on a free loopback port that keeps what it gets. */
export class SmtpSink {
  readonly received: ReceivedMail[] = [];
  /** Replies by SMTP verb in place of the usual ones: `{ RCPT: "550 no such user" }`. */
  replies: Readonly<Record<string, string>> = {};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => this.#sockets.delete(socket));
      const dialogue = new SmtpDialogue(socket, this);
      socket.on("data", (chunk: string) => dialogue.read(chunk));
    });
  }

  /** Starts to listen; resolves to the `smtp://` URL. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `smtp://127.0.0.1:${port.toString()}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

class SmtpDialogue {
  readonly #socket: Socket;
  readonly #sink: SmtpSink;
  #from = "";
  #to: string[] = [];
  #data: string[] | undefined;
  #rest = "";

  constructor(socket: Socket, sink: SmtpSink) {
    this.#socket = socket;
    this.#sink = sink;
    socket.setEncoding("utf8");
    this.#say("220 sink");
  }

  read(chunk: string): void {
    const lines = (this.#rest + chunk).split("\r\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (this.#data === undefined) this.#command(line);
      else this.#content(line);
    }
  }

  #command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    if (verb === "MAIL") [this.#from, this.#to] = [address, []];
    if (verb === "RCPT") this.#to.push(address);
    if (verb === "DATA" && this.#sink.replies["DATA"] === undefined) this.#data = [];
    this.#say(this.#sink.replies[verb] ?? usualReply(verb));
    if (verb === "QUIT") this.#socket.end();
  }

  #content(line: string): void {
    if (line !== ".") {
      this.#data?.push(line.replace(/^\./, ""));
      return;
    }
    const content = this.#data?.join("\n") ?? "";
    this.#data = undefined;
    this.#sink.received.push({ from: this.#from, to: this.#to, content });
    this.#say(this.#sink.replies["."] ?? "250 kept");
  }

  #say(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }
}

function usualReply(verb: string): string {
  if (verb === "DATA") return "354 go on";
  return verb === "QUIT" ? "221 bye" : "250 sink";
}
