import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What a server wrote on a connection until it closed it. */
export interface RawAnswer {
  /** Status of each answer on the connection, in order. */
  readonly statuses: readonly number[];
  /** Headers of the first answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the first answer, parsed; undefined when it is no JSON. */
  readonly body: unknown;
  /** The request id in the body, wherever it stands there. */
  readonly requestId: string | undefined;
  /** The server has closed the connection. */
  readonly isClosed: boolean;
}

const limitMs = 10_000;

/** Writes bytes to the port of an address and reads until the server closes the connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  // A server that refuses early may reset what we still write.
  socket.on("error", () => undefined).on("data", (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<true>((resolve) => socket.once("close", () => resolve(true)));
  socket.write(bytes);
  const isClosed = await Promise.race([closed, delay(limitMs, false, { ref: false })]);
  socket.destroy();
  return { ...parse(Buffer.concat(chunks).toString("latin1")), isClosed };
}

function parse(text: string): Omit<RawAnswer, "isClosed"> {
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  const headers = Object.fromEntries(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.split(":", 1)[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */, "")]),
  );
  const requestId = /"request_id":"([^"]+)"/.exec(body)?.[1];
  return { statuses, headers, body: json(body), requestId };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
