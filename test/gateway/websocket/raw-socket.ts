import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished } from "vitest";

/** A connection whose frames a test writes itself; it ends with the test. */
export async function openRaw(url: string, secret: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(
    "GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
      `authorization: Bearer ${secret}\r\nsec-websocket-version: 13\r\n` +
      "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [head] = await once(socket, "data");
  expect(head.toString()).toMatch(/^HTTP\/1.1 101 /);
  return socket;
}

/** First bytes of frames. */
export const opening = { text: 0x81, textPart: 0x01, lastPart: 0x80, ping: 0x89 } as const;

const masked = 0x80;

/** A frame masked with zeros. */
export function frame(first: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([first]), sizeOf(payload.length), Buffer.alloc(4), payload]);
}

function sizeOf(length: number): Buffer {
  if (length < 126) return Buffer.from([masked | length]);
  const size = Buffer.alloc(length < 65_536 ? 3 : 9, masked | (length < 65_536 ? 126 : 127));
  if (length < 65_536) size.writeUInt16BE(length, 1);
  else size.writeBigUInt64BE(BigInt(length), 1);
  return size;
}

/** A `response.create` in one frame. */
export function createFrame(body: object): Buffer {
  return frame(opening.text, Buffer.from(JSON.stringify({ type: "response.create", ...body })));
}

/** Resolves to all that came until the connection ended, however it did. */
export async function rest(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await gone(socket);
  return Buffer.concat(chunks);
}

/** Resolves when the connection has ended. */
export function gone(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Writes the same bytes until the connection ends, and reads nothing. */
export async function flood(socket: Socket, bytes: Buffer): Promise<void> {
  socket.pause();
  const ended = gone(socket);
  while (!socket.destroyed) {
    if (socket.write(bytes)) continue;
    await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), ended]);
  }
}
