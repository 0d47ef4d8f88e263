import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chunk, jsonAnswer, lastChunk, postRequest, streamHead } from "./http-text.ts";
import { MessageReader } from "./message-reader.ts";

interface Message {
  readonly startLine: string;
  readonly body: string;
}

function readAll(pieces: readonly Buffer[]): Message[] {
  const messages: Message[] = [];
  let startLine = "";
  let body = "";
  const reader = new MessageReader({
    onHead: (line) => {
      startLine = line;
      body = "";
    },
    onBody: (bytes) => {
      body += bytes.toString("latin1");
    },
    onEnd: () => messages.push({ startLine, body }),
  });
  for (const piece of pieces) reader.push(piece);
  return messages;
}

function cut(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const ends = [...new Set(offsets)].toSorted((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

const wire = Buffer.from(
  jsonAnswer('{"a":1}') +
    streamHead() +
    chunk("data: one\n\n") +
    chunk("data: two\r\n\r\n") +
    lastChunk +
    "HTTP/1.1 204 No Content\r\n\r\n" +
    postRequest("/v1/messages", { host: "here" }, "{}"),
);

const messages = [
  { startLine: "HTTP/1.1 200 OK", body: '{"a":1}' },
  { startLine: "HTTP/1.1 200 OK", body: "data: one\n\ndata: two\r\n\r\n" },
  { startLine: "HTTP/1.1 204 No Content", body: "" },
  { startLine: "POST /v1/messages HTTP/1.1", body: "{}" },
];

test("messages in one piece", () => {
  expect(readAll([wire])).toEqual(messages);
});

test("messages in single bytes", () => {
  expect(readAll([...wire].map((byte) => Buffer.from([byte])))).toEqual(messages);
});

test("messages cut anywhere", () => {
  const offsets = fc.array(fc.integer({ min: 0, max: wire.length }));
  fc.assert(
    fc.property(offsets, (cuts) => {
      expect(readAll(cut(wire, cuts))).toEqual(messages);
    }),
  );
});

test("a broken chunk size is refused", () => {
  expect(() => readAll([Buffer.from(`${streamHead()}zz\r\n`)])).toThrow("broken chunk size");
});
