import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { maxAccumulatedTurnBytes } from "../../../src/domain/durable-turn.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import {
  TurnResponseReceiver,
  type TurnResponseMemory,
} from "../../../src/gateway/turn/turn-response-sink.ts";

const mebibyte = "a".repeat(1024 * 1024);
const quarter = mebibyte.slice(0, mebibyte.length / 4);

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

const uncounted = { event: () => undefined, answer: () => undefined };

/** The memory that an answer of these events is counted with, in the end. */
async function memoryOf(sent: readonly object[]): Promise<number> {
  let memory = 0;
  const answer = (bytes: number): void => void (memory = bytes);
  await written(sent.map(frame), maxAccumulatedTurnBytes, { ...uncounted, answer });
  return memory;
}

/** Writes frames until all are taken or the connection is destroyed. */
async function written(
  frames: readonly string[],
  room = maxAccumulatedTurnBytes,
  memory: TurnResponseMemory = uncounted,
  maxBytes?: number,
): Promise<TurnResponseReceiver> {
  const connection = new TurnResponseReceiver(() => undefined, room, memory, maxBytes);
  const closed = once(connection, "close").catch(() => undefined);
  for (const one of frames) connection.write(one);
  connection.end();
  await closed;
  return connection;
}

function withinOneMebibyte(frames: readonly string[]): Promise<TurnResponseReceiver> {
  return written(frames, maxAccumulatedTurnBytes, uncounted, mebibyte.length);
}

function deltas(type: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => frame({ type, output_index: 0, delta: mebibyte }));
}

function added(output_index: number): string {
  return frame({ type: "response.output_item.added", output_index, item: {} });
}

describe("TurnResponseReceiver", () => {
  it.each(["response.output_text.delta", "response.function_call_arguments.delta"])(
    "fails an answer with more than its bytes in pieces of %s",
    async (type) => {
      const { error, isTooLarge } = await withinOneMebibyte(deltas(type, 2));
      expect(error).toMatchObject({ code: "upstream_malformed" });
      expect(isTooLarge).toBe(true);
    },
  );

  it("fails an answer with more than 16 MiB in pieces", async () => {
    const { error } = await written(deltas("response.output_text.delta", 17));
    expect(error).toMatchObject({
      code: "upstream_malformed",
      message: expect.stringContaining("The model's answer is larger than 16 MiB"),
    });
  });

  it("fails an answer with an event of more than its bytes", async () => {
    const text = mebibyte.repeat(2);
    const completed = frame({ type: "response.completed", text });
    const { error, isTooLarge } = await withinOneMebibyte([completed]);
    expect(error).toMatchObject({ code: "upstream_malformed" });
    expect(isTooLarge).toBe(true);
  });

  it.each([
    ["items", { type: "response.output_item.done", item: { encrypted_content: quarter } }],
    ["pieces with other members", { type: "response.output_text.delta", delta: "", x: quarter }],
  ])("fails an answer with more than four times its bytes in %s", async (_what, event) => {
    const frames = Array.from({ length: 17 }, (_, at) => frame({ ...event, output_index: at }));
    const { error, isTooLarge } = await withinOneMebibyte(frames);
    expect(error).toMatchObject({ code: "upstream_malformed" });
    expect(isTooLarge).toBe(true);
    expect((await withinOneMebibyte(frames.slice(0, 15))).error).toBeUndefined();
  });

  it.each([
    ["pieces", deltas("response.output_text.delta", 2)],
    [
      "items",
      [0, 1].map((output_index) =>
        frame({ type: "response.output_item.done", output_index, item: { text: mebibyte } }),
      ),
    ],
    ["its last event", [frame({ type: "response.completed", text: mebibyte.repeat(2) })]],
  ])(
    "fails an answer whose %s are larger than what is left of the turn's 64 MiB",
    async (_what, frames) => {
      const { error, isTooLarge, terminal } = await written(frames, 1.5 * 1024 * 1024);
      expect(error).toMatchObject({
        code: "upstream_malformed",
        message: expect.stringContaining("The items of the turn are larger than 64 MiB together"),
      });
      expect(isTooLarge).toBe(true);
      expect(terminal).toBeUndefined();
      expect((await written(frames, 3 * 1024 * 1024)).error).toBeUndefined();
    },
  );

  it("takes an answer of 16 MiB", async () => {
    const { error, isTooLarge } = await written(deltas("response.output_text.delta", 16));
    expect(error).toBeUndefined();
    expect(isTooLarge).toBe(false);
  });

  it.each([
    ["more than 1000 items", Array.from({ length: 1001 }, (_, at) => added(at))],
    ["an event of half a million values", [frame({ type: "x", list: Array(500_000).fill(1) })]],
    ["an event of 300 levels", [`data: {"type":"x","a":${"[".repeat(300)}${"]".repeat(300)}}\n\n`]],
    [
      "parts without end",
      Array.from({ length: 2001 }, (_, at) =>
        frame({
          type: "response.content_part.added",
          output_index: at % 10,
          content_index: Math.floor(at / 10),
          part: {},
        }),
      ),
    ],
    ["items without end at one place", Array.from({ length: 2001 }, () => added(0))],
    ["an item at the place 4294967294", [added(4_294_967_294)]],
    ["an item at the place 0.5", [added(0.5)]],
    [
      "a part at the place 4294967294",
      [
        frame({
          type: "response.content_part.done",
          output_index: 0,
          content_index: 4_294_967_294,
        }),
      ],
    ],
    [
      "more than 1000 items in its last event",
      [frame({ type: "response.completed", response: { output: Array.from({ length: 1001 }) } })],
    ],
  ])("fails an answer with %s", async (_what, frames) => {
    const { error, isTooLarge } = await written(frames);
    expect(error).toMatchObject({ code: "upstream_malformed" });
    expect(isTooLarge).toBe(true);
  });

  it("takes an answer of 1000 items", async () => {
    const { error } = await written(Array.from({ length: 1000 }, (_, at) => added(at)));
    expect(error).toBeUndefined();
  });

  it("counts pieces, and the items that repeat them once, with their values", async () => {
    const type = "response.output_text.delta";
    const delta = "a".repeat(100_000);
    const pieces = [1, 2].map(() => ({ type, output_index: 0, delta }));
    expect(await memoryOf(pieces)).toBe(200_000);
    expect(await memoryOf([...pieces, { type, output_index: 0, delta: "–" }])).toBe(400_002);
    const item = { text: delta + delta };
    const done = { type: "response.output_item.done", output_index: 0, item };
    const repeated = await memoryOf([...pieces, done]);
    expect(repeated).toBeGreaterThan(200_000);
    expect(repeated).toBeLessThan(202_000);
    const list = Array.from({ length: 10_000 }, () => 1);
    const many = { type: "response.output_item.done", output_index: 0, item: { list } };
    expect(await memoryOf([many])).toBeGreaterThan(1_000_000);
  });

  it("fails an answer whose account may not hold more, which is not asked for again", async () => {
    const answer = (bytes: number): void => {
      if (bytes > 1000) throw new ApiError("rate_limited", "No room is left.");
    };
    const frames = deltas("response.output_text.delta", 1);
    const { error, isTooLarge } = await written(frames, maxAccumulatedTurnBytes, {
      ...uncounted,
      answer,
    });
    expect(error).toEqual({ code: "rate_limited", message: "No room is left." });
    expect(isTooLarge).toBe(true);
  });

  it("fails an answer that has to give way to others", async () => {
    const connection = new TurnResponseReceiver(() => undefined, maxAccumulatedTurnBytes);
    const closed = once(connection, "close");
    connection.giveWay(new ApiError("unavailable", "No room is left."));
    await closed;
    expect(connection.error).toEqual({ code: "unavailable", message: "No room is left." });
    expect(connection.isTooLarge).toBe(false);
  });
});
