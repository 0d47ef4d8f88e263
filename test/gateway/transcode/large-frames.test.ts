import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { createResponsesStreamEncoder } from "../../../src/dialect/responses/encode-stream.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { CallerResponse } from "../../../src/gateway/call/caller-response.ts";
import type { CallProgress } from "../../../src/gateway/call/call-progress.ts";
import { CallerEventStreamWriter } from "../../../src/gateway/transcode/stream-writer.ts";
import { answerContext } from "../../dialect/responses/response-context.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** A connection whose caller reads a piece when a test lets it. */
class SlowConnection extends Writable {
  statusCode = 200;
  readonly pieces: string[] = [];
  #read: (() => void) | undefined;

  writeHead(): this {
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(chunk.toString());
    this.#read = done;
  }

  /** Lets the caller read the piece that was written last. */
  read(): void {
    const done = this.#read;
    this.#read = undefined;
    done?.();
  }
}

const text = "\u0001".repeat(1024 * 1024);
const end: NeutralEvent = { type: "response-end", reason: "end", raw: undefined };
const events: readonly NeutralEvent[] = [
  { type: "response-start" },
  { type: "part-start", index: 0, part: { type: "text" } },
  { type: "part-delta", index: 0, delta: { type: "text", text } },
  { type: "part-end", index: 0 },
  end,
];

function start() {
  const connection = new SlowConnection();
  const progress = { call: { requestId: "req_1", surface: {} } } as unknown as CallProgress;
  const parts = { docUrl: () => "", streams: { value: 0 } };
  const response = new CallerResponse(parts, progress, connection);
  const held = { bytes: 0, most: 0 };
  const writer = new CallerEventStreamWriter(
    response,
    createResponsesStreamEncoder(answerContext()),
    (bytes) => {
      held.bytes += bytes;
      held.most = Math.max(held.most, held.bytes);
      return () => {
        held.bytes -= bytes;
      };
    },
  );
  return { connection, response, writer, held };
}

describe("the closing events of a large answer", () => {
  it("are written one by one, each when the caller has read the one before", async () => {
    const { connection, response, writer, held } = start();
    expect(writer.push(events)).toBe(false);
    writer.finish();
    expect(response.isOver).toBe(true);
    const ended = finished(connection);
    const sizes: number[] = [];
    for (let written = 1; !connection.writableEnded || connection.pieces.length > written;) {
      // Nothing more comes until the caller has read.
      expect(connection.pieces.length).toBeLessThanOrEqual(written);
      sizes.push(held.bytes);
      connection.read();
      // oxlint-disable-next-line no-await-in-loop
      await waitUntil(() => connection.pieces.length > written || connection.writableEnded);
      written = connection.pieces.length;
    }
    connection.read();
    await ended;
    const whole = createResponsesStreamEncoder(answerContext());
    const expected = events.map((event) => whole.push(event)).join("");
    expect(connection.pieces.join("") === expected).toBe(true);
    // Four events repeat the text, each of six bytes a character.
    expect(held.most).toBeGreaterThan(6 * text.length);
    expect(held.most).toBeLessThan(7 * text.length);
    expect(held.bytes).toBe(0);
    expect(sizes.filter((size) => size > text.length)).not.toEqual([]);
  });

  it("stop when the caller has left", async () => {
    const { connection, response, writer } = start();
    writer.push(events);
    writer.finish();
    connection.destroy();
    await finished(connection).catch(() => undefined);
    response.close();
    expect(response.isAborted).toBe(true);
    expect(connection.pieces).toHaveLength(1);
  });
});
