import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkResponsesStream } from "../../../src/conformance/grammar/responses.ts";
import { buildResponsesQueuedResponse } from "../../../src/dialect/responses/queued-response.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import { parseEventStreamText } from "../../../src/platform/sse/read-events.ts";
import {
  TurnEventJournal,
  type FinalResponseWithFrames,
} from "../../../src/turn/journal/response-journal.ts";
import type { ResponsesStreamEvent } from "../../../src/domain/durable-turn.ts";
import { parseSseFrameEvent } from "../../../src/turn/parse-frame.ts";
import { someEvents } from "../../dialect/arbitrary-request.ts";
import { answerContext } from "../../dialect/responses/response-context.ts";
import { dataOf, sealing, streamOf } from "../../dialect/responses/neutral-events.ts";
import { accumulate } from "../../dialect/responses/official-client.ts";
import { vendorEvents } from "../../dialect/responses/vendor-stream.ts";

const queued = buildResponsesQueuedResponse({
  id: "turn_1",
  created: 1,
  body: { model: "custom/box/m", input: "hello" },
});

/** What one model call tells a turn: all its events, and how many of them come before it breaks off. */
interface Told {
  readonly events: readonly ResponsesStreamEvent[];
  readonly cut: number;
}

/** As a call of a turn has it: under ids of its own, those of its tool calls included. */
function answerOf(events: readonly NeutralEvent[], id: string): readonly ResponsesStreamEvent[] {
  const stream = streamOf(events, { ...answerContext(), id });
  return dataOf(stream.replaceAll('"call_id":"', `"call_id":"${id.at(-1)}_`));
}

/** Answers of which no item has the id of another's. */
const someCalls: fc.Arbitrary<readonly Told[]> = fc
  .array(fc.record({ answer: someEvents(sealing), share: fc.nat(1000) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((calls) =>
    calls.map(({ answer, share }, at) => {
      const events = answerOf(answer.events, `01j8zkq2v3w4x5y6z7a8b9c0d${at}`);
      return { events, cut: Math.floor((share / 1001) * events.length) };
    }),
  );

function takeUntilCut(journal: TurnEventJournal, { events, cut }: Told): readonly string[] {
  return events.slice(0, cut).flatMap((event) => journal.take(event));
}

/** Calls that break off, each with what closes it. */
function broken(journal: TurnEventJournal, calls: readonly Told[]): readonly string[] {
  return calls.flatMap((call) => [...takeUntilCut(journal, call), ...journal.interrupt()]);
}

function whole(journal: TurnEventJournal, { events }: Told): FinalResponseWithFrames {
  const begun = events.slice(0, -1).flatMap((event) => journal.take(event));
  const ending = journal.end(events.at(-1) ?? { type: "none" });
  return { ...ending, frames: [...begun, ...ending.frames] };
}

function faultsOf(frames: readonly string[]) {
  return checkResponsesStream(parseEventStreamText(frames.join("")));
}

/** What a vendor that speaks responses tells. */
const told = vendorEvents.map((event): ResponsesStreamEvent => ({
  ...event,
  type: String(event["type"]),
}));

const fails = { code: "server_error", message: "It failed." };

const endings: Readonly<Record<string, (journal: TurnEventJournal) => FinalResponseWithFrames>> = {
  failed: (journal) => journal.fail(fails),
  cancelled: (journal) => journal.stop("cancelled"),
};

describe("TurnEventJournal", () => {
  it("counts the bytes of the items that have ended, the same at another process", () => {
    const journal = new TurnEventJournal(queued);
    const item = { type: "message", id: "msg_1", content: [{ type: "output_text", text: "ä" }] };
    const frames = [...journal.open(), ...journal.begin(item)];
    expect(journal.bytes).toBe(0);
    const end = journal.finish(item);
    expect(journal.bytes).toBe(Buffer.byteLength(end.join("")));
    const half = journal.begin({ type: "message", id: "msg_2", content: [] });
    const closed = journal.interrupt();
    expect(journal.bytes).toBe(Buffer.byteLength([...end, ...closed].join("")));
    const restored = new TurnEventJournal(queued);
    for (const frame of [...frames, ...end, ...half, ...closed])
      restored.restore(parseSseFrameEvent(frame));
    expect(restored.bytes).toBe(journal.bytes);
  });

  it("[turns.half-streamed] tells one stream by the grammar, wherever the calls before the last broke off", async () => {
    await fc.assert(
      fc.asyncProperty(someCalls, async (calls) => {
        const journal = new TurnEventJournal(queued);
        const before = [...journal.open(), ...broken(journal, calls.slice(0, -1))];
        const { frames, response } = whole(journal, calls.at(-1) ?? { events: [], cut: 0 });
        const stream = [...before, ...frames];
        expect(faultsOf(stream)).toEqual([]);
        const { response: read } = await accumulate(stream.join(""));
        expect(read).toMatchObject({ id: "turn_1", status: response["status"] });
        expect(read.output).toHaveLength((response["output"] as unknown[]).length);
      }),
      { numRuns: 150 },
    );
  });

  it.each(Object.entries(endings))("is %s by the grammar, wherever it is", (status, end) => {
    fc.assert(
      fc.property(someCalls, (calls) => {
        const journal = new TurnEventJournal(queued);
        const before = [...journal.open(), ...broken(journal, calls.slice(0, -1))];
        const last = calls.slice(-1).flatMap((call) => takeUntilCut(journal, call));
        const { frames, response } = end(journal);
        expect(faultsOf([...before, ...last, ...frames])).toEqual([]);
        expect(response["status"]).toBe(status);
      }),
      { numRuns: 150 },
    );
  });

  it("[turns.half-streamed] goes on from its events alone as it would have gone on", () => {
    fc.assert(
      fc.property(someCalls, fc.constantFrom(...Object.values(endings)), (calls, end) => {
        const live = new TurnEventJournal(queued);
        const begun = [
          ...live.open(),
          ...broken(live, calls.slice(0, -1)),
          ...calls.slice(-1).flatMap((call) => takeUntilCut(live, call)),
        ];
        const restored = new TurnEventJournal(queued);
        for (const frame of begun) restored.restore(parseSseFrameEvent(frame));
        expect(restored.next).toBe(live.next);
        expect(restored.interrupt()).toEqual(live.interrupt());
        const next = answerOf([], "01j8zkq2v3w4x5y6z7a8b9c0dz");
        for (const event of next) expect(restored.take(event)).toEqual(live.take(event));
        expect(end(restored)).toEqual(end(live));
      }),
      { numRuns: 150 },
    );
  });

  it("closes what a vendor had told of every kind of item, once", () => {
    const known = told.filter(({ type }) => !/web_search_call|shiny/.test(type));
    for (let cut = 0; cut < known.length; cut += 1) {
      const journal = new TurnEventJournal(queued);
      const begun = [...journal.open(), ...takeUntilCut(journal, { events: known, cut })];
      const { frames } = journal.stop("cancelled");
      expect([cut, faultsOf([...begun, ...frames])]).toEqual([cut, []]);
    }
  });

  it("keeps the annotations of a part that breaks off", () => {
    const journal = new TurnEventJournal(queued);
    const at = told.findIndex(({ type }) => type === "response.output_text.annotation.added");
    for (const event of told.slice(0, at + 1)) journal.take(event);
    const { output } = journal.stop("cancelled").response as {
      readonly output: readonly unknown[];
    };
    expect(output.at(-1)).toMatchObject({
      status: "incomplete",
      content: [{ text: "Grüße 🙂", annotations: [{ url: "https://news.example/a" }] }],
    });
  });
});
