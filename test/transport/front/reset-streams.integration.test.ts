import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import {
  flag,
  frame,
  frameType,
  headerBlock,
  number32,
  preface,
  readFrames,
} from "../../fuzz/wire/http2-frames.ts";
import { startFront, until } from "./start-front.ts";

const internalError = 2;
const cancel = 8;

function get(stream: number): Buffer {
  const fields = headerBlock([
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/ok"],
    [":authority", "a"],
  ]);
  return frame(frameType.headers, flag.endHeaders | flag.endStream, stream, fields);
}

it.each([cancel, internalError])(
  "serves no HTTP/2 stream that its own packet resets with code %i, and the next one",
  async (code) => {
    let served = 0;
    const front = await startFront((app) => {
      app.get("/ok", () => ({ served: (served += 1) }));
    });
    const socket = connect(front.port, front.host).on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    const streams = Array.from({ length: 500 }, (_, index) => 2 * index + 1);
    const resets = streams.map((id) =>
      Buffer.concat([get(id), frame(frameType.reset, 0, id, number32(code))]),
    );
    const last = 2 * streams.length + 1;
    const settings = frame(frameType.settings, 0, 0);
    socket.write(Buffer.concat([preface, settings, ...resets, get(last)]));
    await until(() => readFrames(Buffer.concat(received)).some(({ stream }) => stream === last));
    // Reads of the socket may part a few from their resets.
    expect(served).toBeLessThan(20);
  },
);
