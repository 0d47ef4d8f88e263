/**
 * The mock upstream: answers calls of every dialect from prebuilt bytes. Below
 * /answers it sends the whole answer at once, below /streams a paced stream of as
 * many tokens as the call's `max_tokens`.
 */
import { createServer, type Socket } from "node:net";
import { monotonicMs } from "../running/monotonic-clock.ts";
import { announceWhenListening } from "./announce.ts";
import type { StreamLeft } from "../upstream/mock-message.ts";
import { modelList, preparedAnswer } from "../upstream/prepared-responses.ts";
import { writeTokenStream } from "../upstream/token-stream.ts";
import { MessageReader } from "../wire/message-reader.ts";

function serve(socket: Socket): void {
  let path = "";
  let body = "";
  const reader = new MessageReader({
    onHead: (startLine) => {
      path = startLine.split(" ", 2)[1] ?? "";
      body = "";
    },
    onBody: (bytes) => {
      if (path.startsWith("/streams/")) body += bytes.toString("latin1");
    },
    onEnd: () => respond(socket, path, body),
  });
  socket.setNoDelay(true);
  socket.on("data", (bytes) => reader.push(bytes));
  socket.on("error", () => socket.destroy());
}

function respond(socket: Socket, path: string, body: string): void {
  const answer = preparedAnswer(path);
  if (answer === undefined) socket.write(modelList);
  else if (path.startsWith("/streams/")) {
    writeTokenStream(socket, answer.stream, tokensAsked(body), tellLeft);
  } else socket.write(answer.whole);
}

function tokensAsked(body: string): number {
  return Number(/"max_tokens": ?(\d+)/.exec(body)?.[1] ?? 1);
}

function tellLeft(): void {
  process.send?.({ kind: "stream-left", atMs: monotonicMs() } satisfies StreamLeft);
}

announceWhenListening(createServer(serve));
