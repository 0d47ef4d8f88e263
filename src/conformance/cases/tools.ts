import type { ConformanceCaseRequest, ConformanceCaseTool } from "../case-request.ts";
import { failCaseUnless, skipCaseUnless } from "../outcome.ts";
import type { ConformanceClient, ConformanceWholeResponse } from "../dialect-client.ts";
import {
  answeredToolCallsRequest,
  clockCaseTool,
  noInputToolCallRequest,
  singleToolCallRequest,
  parallelToolCallsRequest,
  weatherTool,
} from "./requests.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import {
  expectValidToolCalls,
  expectValidStream,
  expectNoViolations,
  expectToolArguments,
} from "./expectations.ts";

/** Tools: calls whole and streamed, several, without input, and their results. */
export const toolConformanceCases: readonly ConformanceCase[] = [
  {
    name: "tool-call-whole",
    requirement:
      "A forced call has the tool's name, a JSON object as input, and ends the turn as a call.",
    needsModel: true,
    async run(probe) {
      const whole = await probe.requestWhole(singleToolCallRequest);
      expectNoViolations(probe.speech.checkWhole(whole.body));
      expectOneCall(whole, weatherTool);
      failCaseUnless(
        "city" in expectToolArguments(whole.parsed.calls[0]),
        "The input lacks `city`.",
      );
    },
  },
  {
    name: "tool-call-streamed",
    requirement: "The official client adds a streamed call up to the same.",
    needsModel: true,
    async run(probe) {
      const streamed = await probe.requestStream(singleToolCallRequest);
      expectOneCall(streamed, weatherTool);
      failCaseUnless(
        "city" in expectToolArguments(streamed.parsed.calls[0]),
        "The input lacks `city`.",
      );
    },
  },
  {
    name: "tool-call-grammar",
    requirement: "A stream with a call breaks no rule of the vendor's own streams.",
    needsModel: true,
    run: async (probe) =>
      expectValidStream(probe, await probe.sendCase(singleToolCallRequest, true)),
  },
  {
    name: "parallel-tools-whole",
    requirement: "Several calls of one answer have distinct ids and whole inputs.",
    needsModel: true,
    run: async (probe) => expectParallel(await probe.requestWhole(parallelToolCallsRequest)),
  },
  {
    name: "parallel-tools-streamed",
    requirement: "Several calls of one stream have distinct ids and whole inputs.",
    needsModel: true,
    run: async (probe) => expectParallel(await probe.requestStream(parallelToolCallsRequest)),
  },
  {
    name: "parallel-tools-grammar",
    requirement: "A stream with several calls breaks no rule of the vendor's own streams.",
    needsModel: true,
    async run(probe) {
      expectParallel(await probe.requestStream(parallelToolCallsRequest));
      expectValidStream(probe, await probe.sendCase(parallelToolCallsRequest, true));
    },
  },
  {
    name: "empty-input-whole",
    requirement: "A call of a tool that takes nothing has the input {}.",
    needsModel: true,
    run: async (probe) =>
      expectOneCall(await probe.requestWhole(noInputToolCallRequest), clockCaseTool),
  },
  {
    name: "empty-input-streamed",
    requirement: "A streamed call of a tool that takes nothing has the input {}.",
    needsModel: true,
    run: async (probe) =>
      expectOneCall(await probe.requestStream(noInputToolCallRequest), clockCaseTool),
  },
  {
    name: "tool-results",
    requirement: "Results of two parallel calls are taken, and answered with a text.",
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestWhole(answeredToolCallsRequest);
      failCaseUnless(reading.text !== "" || reading.calls.length > 0, "The answer is empty.");
    },
  },
  {
    name: "tool-round-trip",
    requirement: "A streamed call that is sent back as it came, with its result, is taken.",
    needsModel: true,
    run: (probe) => expectRoundTrip(probe, singleToolCallRequest),
  },
  {
    name: "tool-round-trip-empty-input",
    requirement: "A streamed call without input that is sent back with its result is taken.",
    needsModel: true,
    run: (probe) => expectRoundTrip(probe, noInputToolCallRequest),
  },
];

function expectOneCall(
  { parsed: reading }: ConformanceWholeResponse,
  tool: ConformanceCaseTool,
): void {
  expectValidToolCalls(reading.calls, tool.name);
  failCaseUnless(reading.stop === "calls", "The turn does not end as one that calls tools.");
}

function expectParallel({ parsed: reading }: ConformanceWholeResponse): void {
  expectValidToolCalls(reading.calls, weatherTool.name);
  skipCaseUnless(reading.calls.length > 1, "the model made one call");
  const cities = new Set(reading.calls.map((call) => expectToolArguments(call)["city"]));
  failCaseUnless(cities.size > 1, "The inputs of the calls are mixed up.");
}

async function expectRoundTrip(
  probe: ConformanceClient,
  ask: ConformanceCaseRequest,
): Promise<void> {
  const { body, parsed: reading } = await probe.requestStream(ask);
  const results = reading.calls.map(({ id }) => ({ id, text: "It is 12:00, sunny, 21 degrees." }));
  const turns = [...ask.messages, { type: "answer", body }, { type: "results", results }] as const;
  const next = await probe.requestWhole({ ...ask, messages: turns, requiresToolCall: false });
  failCaseUnless(next.parsed.text !== "" || next.parsed.calls.length > 0, "The answer is empty.");
}
