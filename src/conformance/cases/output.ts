import { failCaseUnless, skipCaseUnless } from "../outcome.ts";
import type { ConformanceClient } from "../dialect-client.ts";
import {
  countToNineRequest,
  helloRequest,
  longStoryRequest,
  structuredOutputRequest,
  unicodeRequest,
} from "./requests.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { expectValidStream, expectNoViolations, parseExpectedJsonObject } from "./expectations.ts";

/** Plain answers: whole, streamed, ended early, and in a given form. */
export const textOutputConformanceCases: readonly ConformanceCase[] = [
  {
    name: "hello-whole",
    requirement: "A whole answer has every member that the official types promise, and a text.",
    needsModel: false,
    async run(probe) {
      const { body, parsed: reading } = await probe.requestWhole(helloRequest);
      expectNoViolations(probe.speech.checkWhole(body));
      failCaseUnless(reading.text !== "", "The answer has no text.");
      failCaseUnless(reading.stop === "end", "The answer did not end by itself.");
    },
  },
  {
    name: "hello-streamed",
    requirement: "The official client adds a stream up to an answer with a text.",
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestStream(helloRequest);
      failCaseUnless(reading.text !== "", "The stream has no text.");
      failCaseUnless(reading.stop === "end", "The stream did not end by itself.");
    },
  },
  {
    name: "stream-grammar",
    requirement: "A stream of text breaks no rule of the vendor's own streams.",
    needsModel: true,
    run: async (probe) => expectValidStream(probe, await probe.sendCase(helloRequest, true)),
  },
  {
    name: "stream-headers",
    requirement: "Caches and proxies are told to pass a stream on as it comes.",
    needsModel: true,
    async run(probe) {
      const { headers } = await probe.sendCase(helloRequest, true);
      const control = headers.get("cache-control") ?? "none";
      failCaseUnless(/no-cache|no-store/.test(control), `cache-control is ${control}.`);
      const encoding = headers.get("content-encoding");
      failCaseUnless(encoding === null, `The stream is compressed (${String(encoding)}).`);
    },
  },
  {
    name: "unicode-streamed",
    requirement: "Letters of several bytes come through a stream unbroken.",
    needsModel: true,
    async run(probe) {
      const { response: answer, parsed: reading } = await probe.requestStream(unicodeRequest);
      failCaseUnless(answer.isText, "The stream is not UTF-8.");
      failCaseUnless(!reading.text.includes("\u{fffd}"), "A letter was broken.");
      skipCaseUnless(reading.text.includes("日本"), "the model did not repeat the words");
      failCaseUnless(reading.text.includes("👩‍🚀"), "A letter of several parts was broken.");
    },
  },
  {
    name: "concurrent-streams",
    requirement: "Two streams at once do not mix.",
    needsModel: true,
    async run(probe) {
      const bodies = [probe.bodyOf(helloRequest, true), probe.bodyOf(countToNineRequest, true)];
      const answers = await Promise.all(bodies.map((body) => probe.post(body)));
      const ids = answers.map((answer) => {
        const read = probe.speech.accumulate(probe.eventsOf(answer));
        return probe.speech.read(read).id;
      });
      failCaseUnless(new Set(ids).size === 2, "Both streams have one id.");
    },
  },
  {
    name: "length-whole",
    requirement: "An answer that its cap cut off says so.",
    needsModel: true,
    run: async (probe) => expectTruncated(await cut(probe, false)),
  },
  {
    name: "length-streamed",
    requirement: "A stream that its cap cut off says so.",
    needsModel: true,
    run: async (probe) => expectTruncated(await cut(probe, true)),
  },
  {
    name: "stop-sequence",
    requirement: "Words behind a stop sequence are not in the answer.",
    dialects: ["chat", "messages"],
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestWhole({ ...countToNineRequest, stop: ["5"] });
      skipCaseUnless(reading.text.includes("4"), "the model did not count");
      failCaseUnless(!reading.text.includes("5"), "The text goes on behind the stop sequence.");
    },
  },
  {
    name: "stop-sequence-told",
    requirement: "The answer names the stop sequence that ended it.",
    dialects: ["messages"],
    needsModel: true,
    async run(probe) {
      const { parsed: reading, body } = await probe.requestWhole({
        ...countToNineRequest,
        stop: ["5"],
      });
      skipCaseUnless(reading.stop !== "end", "no difference is told between it and a natural end");
      failCaseUnless(reading.stop === "stop-sequence", "`stop_reason` is not `stop_sequence`.");
      failCaseUnless(body["stop_sequence"] === "5", "`stop_sequence` does not name it.");
    },
  },
  {
    name: "structured-output",
    requirement: "An answer that was asked for by a schema is JSON of that schema.",
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestWhole(structuredOutputRequest);
      const { name, age } = parseExpectedJsonObject(reading.text);
      failCaseUnless(typeof name === "string", "`name` is missing in the JSON.");
      failCaseUnless(Number.isInteger(age), "`age` is no integer in the JSON.");
      failCaseUnless(reading.calls.length === 0, "The JSON comes as a tool call.");
    },
  },
];

/** Newer chat models know another name of the cap than older servers. */
async function cut(
  probe: ConformanceClient,
  isStream: boolean,
): ReturnType<ConformanceClient["requestWhole"]> {
  const ask = async (hasOldCap: boolean) => {
    const asked = { ...longStoryRequest, usesLegacyMaxTokens: hasOldCap };
    return isStream ? await probe.requestStream(asked) : await probe.requestWhole(asked);
  };
  if (probe.speech.name !== "chat") return await ask(false);
  const { status } = await probe.sendCase(
    { ...longStoryRequest, usesLegacyMaxTokens: false },
    isStream,
  );
  return await ask(status === 400);
}

function expectTruncated({
  parsed: reading,
}: Awaited<ReturnType<ConformanceClient["requestWhole"]>>): void {
  const output = reading.usage?.output ?? 0;
  const wasCut = reading.stop === "length";
  skipCaseUnless(wasCut || output === 0 || output >= 16, "the model ended by itself");
  failCaseUnless(wasCut, "The answer was cut off and does not say so.");
}
