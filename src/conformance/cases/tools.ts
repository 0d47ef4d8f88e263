import type { CaseAsk, AskTool } from "../ask.ts";
import { mustHold, orSkip } from "../outcome.ts";
import type { Probe, Whole } from "../probe.ts";
import { answeredCalls, clock, emptyCall, oneCall, parallelCalls, weather } from "./asks.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { expectCalls, expectClean, expectShape, inputOf } from "./expectations.ts";

/** Tools: calls whole and streamed, several, without input, and their results. */
export const toolCases: readonly ConformanceCase[] = [
  {
    name: "tool-call-whole",
    holds:
      "A forced call has the tool's name, a JSON object as input, and ends the turn as a call.",
    needsModel: true,
    async run(probe) {
      const whole = await probe.whole(oneCall);
      expectShape(probe.speech.checkWhole(whole.body));
      expectOneCall(whole, weather);
      mustHold("city" in inputOf(whole.reading.calls[0]), "The input lacks `city`.");
    },
  },
  {
    name: "tool-call-streamed",
    holds: "The official client adds a streamed call up to the same.",
    needsModel: true,
    async run(probe) {
      const streamed = await probe.streamed(oneCall);
      expectOneCall(streamed, weather);
      mustHold("city" in inputOf(streamed.reading.calls[0]), "The input lacks `city`.");
    },
  },
  {
    name: "tool-call-grammar",
    holds: "A stream with a call breaks no rule of the vendor's own streams.",
    needsModel: true,
    run: async (probe) => expectClean(probe, await probe.answer(oneCall, true)),
  },
  {
    name: "parallel-tools-whole",
    holds: "Several calls of one answer have distinct ids and whole inputs.",
    needsModel: true,
    run: async (probe) => expectParallel(await probe.whole(parallelCalls)),
  },
  {
    name: "parallel-tools-streamed",
    holds: "Several calls of one stream have distinct ids and whole inputs.",
    needsModel: true,
    run: async (probe) => expectParallel(await probe.streamed(parallelCalls)),
  },
  {
    name: "parallel-tools-grammar",
    holds: "A stream with several calls breaks no rule of the vendor's own streams.",
    needsModel: true,
    async run(probe) {
      expectParallel(await probe.streamed(parallelCalls));
      expectClean(probe, await probe.answer(parallelCalls, true));
    },
  },
  {
    name: "empty-input-whole",
    holds: "A call of a tool that takes nothing has the input {}.",
    needsModel: true,
    run: async (probe) => expectOneCall(await probe.whole(emptyCall), clock),
  },
  {
    name: "empty-input-streamed",
    holds: "A streamed call of a tool that takes nothing has the input {}.",
    needsModel: true,
    run: async (probe) => expectOneCall(await probe.streamed(emptyCall), clock),
  },
  {
    name: "tool-results",
    holds: "Results of two parallel calls are taken, and answered with a text.",
    needsModel: true,
    async run(probe) {
      const { reading } = await probe.whole(answeredCalls);
      mustHold(reading.text !== "" || reading.calls.length > 0, "The answer is empty.");
    },
  },
  {
    name: "tool-round-trip",
    holds: "A streamed call that is sent back as it came, with its result, is taken.",
    needsModel: true,
    run: (probe) => expectRoundTrip(probe, oneCall),
  },
  {
    name: "tool-round-trip-empty-input",
    holds: "A streamed call without input that is sent back with its result is taken.",
    needsModel: true,
    run: (probe) => expectRoundTrip(probe, emptyCall),
  },
];

function expectOneCall({ reading }: Whole, tool: AskTool): void {
  expectCalls(reading.calls, tool.name);
  mustHold(reading.stop === "calls", "The turn does not end as one that calls tools.");
}

function expectParallel({ reading }: Whole): void {
  expectCalls(reading.calls, weather.name);
  orSkip(reading.calls.length > 1, "the model made one call");
  const cities = new Set(reading.calls.map((call) => inputOf(call)["city"]));
  mustHold(cities.size > 1, "The inputs of the calls are mixed up.");
}

async function expectRoundTrip(probe: Probe, ask: CaseAsk): Promise<void> {
  const { body, reading } = await probe.streamed(ask);
  const results = reading.calls.map(({ id }) => ({ id, text: "It is 12:00, sunny, 21 degrees." }));
  const turns = [...ask.turns, { type: "answer", body }, { type: "results", results }] as const;
  const next = await probe.whole({ ...ask, turns, mustCall: false });
  mustHold(next.reading.text !== "" || next.reading.calls.length > 0, "The answer is empty.");
}
