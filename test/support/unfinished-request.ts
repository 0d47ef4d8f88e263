import {
  connect as connectHttp2,
  type ClientHttp2Session,
  type ClientHttp2Stream,
} from "node:http2";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A POST of which only a part of the body is sent. */
export interface UnfinishedRequest {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes that are declared; undefined: chunked over HTTP/1.1, without a length over HTTP/2. */
  readonly declared: number | undefined;
  readonly sent: Buffer;
}

/** How the server ended an unfinished request. */
export interface UnfinishedEnd {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends it over a connection of HTTP/1.1; resolves when the server has closed that. */
export function sendOverHttp1(request: UnfinishedRequest): Promise<UnfinishedEnd> {
  const { url, path, headers, declared, sent } = request;
  const { hostname, host, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const framing =
    declared === undefined ? "transfer-encoding: chunked" : `content-length: ${declared}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`POST ${path} HTTP/1.1`, `host: ${host}`, framing, ...lines, "", ""].join("\r\n"));
  socket.write(declared === undefined ? `${sent.length.toString(16)}\r\n` : "");
  socket.write(sent);
  if (declared === undefined) socket.write("\r\n");
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    socket.once("error", reject);
    socket.once("end", () => resolve(parseResponse(Buffer.concat(pieces).toString())));
  });
}

function parseResponse(text: string): UnfinishedEnd {
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => {
    const [name = "", value = ""] = line.split(": ", 2);
    return [name.toLowerCase(), value] as const;
  });
  return { status: Number(statusLine.split(" ")[1]), headers: Object.fromEntries(headers), body };
}

/** Sends it over a stream of a new connection of HTTP/2; resolves when the server has closed the stream. */
export function sendOverHttp2(request: UnfinishedRequest): Promise<UnfinishedEnd> {
  const session = connectHttp2(request.url);
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  const stream = openStream(session, request);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let head: Record<string, unknown> = {};
    stream.once("response", (received) => (head = received));
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.once("close", () => {
      const named = Object.entries(head).map(([name, value]) => [name, String(value)]);
      resolve({
        status: Number(head[":status"]),
        headers: Object.fromEntries(named),
        body: Buffer.concat(pieces).toString(),
      });
    });
  });
}

/** Sends it over a stream of a connection that is there. */
export function openStream(
  session: ClientHttp2Session,
  { path, headers, declared, sent }: Omit<UnfinishedRequest, "url">,
): ClientHttp2Stream {
  const length = declared === undefined ? {} : { "content-length": String(declared) };
  const stream = session.request({ ":method": "POST", ":path": path, ...headers, ...length });
  stream.on("error", () => undefined);
  stream.write(sent);
  return stream;
}
