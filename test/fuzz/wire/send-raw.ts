import { connect } from "node:net";
import type { Answer, RawCase } from "../fuzz-case.ts";
import { grpcStatusesIn } from "./grpc-statuses.ts";
import { frameType, readFrames, statusOf } from "./http2-frames.ts";

/** How long an answer may take to begin. What is not well-formed has none, and is not waited for. */
const firstByteMs = 250;

/** An answer is over when nothing came for so long. Over HTTP/2 the first bytes are not yet the answer. */
const quietMs = { http1: 15, http2: 60 };

const mostBytes = 64 * 1024;

/** Writes the pieces of a case on a connection of its own and reads what comes back. */
export function sendRaw(url: string, { pieces, ending, reads }: RawCase): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const received: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let timer: NodeJS.Timeout | undefined;
    const leaveAfter = (milliseconds: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), milliseconds);
    };
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      if (size < mostBytes) received.push(bytes);
      size += bytes.length;
      leaveAfter(quietMs[reads]);
    });
    socket.once("end", () => socket.end());
    socket.once("close", () => {
      clearTimeout(timer);
      const answer = Buffer.concat(received);
      resolve(reads === "http1" ? readHttp1(answer) : readHttp2(answer));
    });
    const queue = [...pieces];
    const step = (): void => {
      const piece = queue.shift();
      if (piece !== undefined) {
        // One packet each: the next is written when this one is out, a turn later.
        socket.write(piece, () => setImmediate(step));
      } else if (ending === "reset") socket.resetAndDestroy();
      else if (ending === "leave") socket.destroy();
      else {
        if (ending === "half-close") socket.end();
        leaveAfter(firstByteMs);
      }
    };
    socket.once("connect", step);
  });
}

function readHttp1(bytes: Buffer): Answer {
  const text = bytes.toString("latin1");
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g)].map(([, status]) =>
    Number(status),
  );
  return {
    statuses: statuses.filter((status) => status >= 200),
    grpcStatuses: grpcStatusesIn(text),
    text,
    isLate: false,
  };
}

function readHttp2(bytes: Buffer): Answer {
  const frames = readFrames(bytes);
  const statuses = frames
    .filter(({ type }) => type === frameType.headers)
    .map(({ payload }) => statusOf(payload))
    .filter((status) => status !== undefined && status >= 200);
  const bodies = frames.filter(({ type }) => type === frameType.data).map(({ payload }) => payload);
  return {
    statuses: statuses as number[],
    grpcStatuses: [],
    text: Buffer.concat(bodies).toString("latin1"),
    isLate: false,
  };
}
