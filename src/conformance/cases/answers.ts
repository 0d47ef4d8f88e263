import { mustHold, orSkip } from "../outcome.ts";
import type { Probe } from "../probe.ts";
import { counting, hello, longStory, structured, unicode } from "./asks.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { expectClean, expectShape, objectIn } from "./expectations.ts";

/** Plain answers: whole, streamed, ended early, and in a given form. */
export const answerCases: readonly ConformanceCase[] = [
  {
    name: "hello-whole",
    holds: "A whole answer has every member that the official types promise, and a text.",
    needsModel: false,
    async run(probe) {
      const { body, reading } = await probe.whole(hello);
      expectShape(probe.speech.checkWhole(body));
      mustHold(reading.text !== "", "The answer has no text.");
      mustHold(reading.stop === "end", "The answer did not end by itself.");
    },
  },
  {
    name: "hello-streamed",
    holds: "The official client adds a stream up to an answer with a text.",
    needsModel: true,
    async run(probe) {
      const { reading } = await probe.streamed(hello);
      mustHold(reading.text !== "", "The stream has no text.");
      mustHold(reading.stop === "end", "The stream did not end by itself.");
    },
  },
  {
    name: "stream-grammar",
    holds: "A stream of text breaks no rule of the vendor's own streams.",
    needsModel: true,
    run: async (probe) => expectClean(probe, await probe.answer(hello, true)),
  },
  {
    name: "stream-headers",
    holds: "Caches and proxies are told to pass a stream on as it comes.",
    needsModel: true,
    async run(probe) {
      const { headers } = await probe.answer(hello, true);
      const control = headers.get("cache-control") ?? "none";
      mustHold(/no-cache|no-store/.test(control), `cache-control is ${control}.`);
      const encoding = headers.get("content-encoding");
      mustHold(encoding === null, `The stream is compressed (${String(encoding)}).`);
    },
  },
  {
    name: "unicode-streamed",
    holds: "Letters of several bytes come through a stream unbroken.",
    needsModel: true,
    async run(probe) {
      const { answer, reading } = await probe.streamed(unicode);
      mustHold(answer.isText, "The stream is not UTF-8.");
      mustHold(!reading.text.includes("\u{fffd}"), "A letter was broken.");
      orSkip(reading.text.includes("日本"), "the model did not repeat the words");
      mustHold(reading.text.includes("👩‍🚀"), "A letter of several parts was broken.");
    },
  },
  {
    name: "concurrent-streams",
    holds: "Two streams at once do not mix.",
    needsModel: true,
    async run(probe) {
      const bodies = [probe.bodyOf(hello, true), probe.bodyOf(counting, true)];
      const answers = await Promise.all(bodies.map((body) => probe.post(body)));
      const ids = answers.map((answer) => {
        const read = probe.speech.accumulate(probe.eventsOf(answer));
        return probe.speech.read(read).id;
      });
      mustHold(new Set(ids).size === 2, "Both streams have one id.");
    },
  },
  {
    name: "length-whole",
    holds: "An answer that its cap cut off says so.",
    needsModel: true,
    run: async (probe) => expectCut(await cut(probe, false)),
  },
  {
    name: "length-streamed",
    holds: "A stream that its cap cut off says so.",
    needsModel: true,
    run: async (probe) => expectCut(await cut(probe, true)),
  },
  {
    name: "stop-sequence",
    holds: "Words behind a stop sequence are not in the answer.",
    dialects: ["chat", "messages"],
    needsModel: true,
    async run(probe) {
      const { reading } = await probe.whole({ ...counting, stop: ["5"] });
      orSkip(reading.text.includes("4"), "the model did not count");
      mustHold(!reading.text.includes("5"), "The text goes on behind the stop sequence.");
    },
  },
  {
    name: "stop-sequence-told",
    holds: "The answer names the stop sequence that ended it.",
    dialects: ["messages"],
    needsModel: true,
    async run(probe) {
      const { reading, body } = await probe.whole({ ...counting, stop: ["5"] });
      orSkip(reading.stop !== "end", "no difference is told between it and a natural end");
      mustHold(reading.stop === "stop-sequence", "`stop_reason` is not `stop_sequence`.");
      mustHold(body["stop_sequence"] === "5", "`stop_sequence` does not name it.");
    },
  },
  {
    name: "structured-output",
    holds: "An answer that was asked for by a schema is JSON of that schema.",
    needsModel: true,
    async run(probe) {
      const { reading } = await probe.whole(structured);
      const { name, age } = objectIn(reading.text);
      mustHold(typeof name === "string", "`name` is missing in the JSON.");
      mustHold(Number.isInteger(age), "`age` is no integer in the JSON.");
      mustHold(reading.calls.length === 0, "The JSON comes as a tool call.");
    },
  },
];

/** Newer chat models know another name of the cap than older servers. */
async function cut(probe: Probe, isStream: boolean): ReturnType<Probe["whole"]> {
  const ask = async (hasOldCap: boolean) => {
    const asked = { ...longStory, hasOldCap };
    return isStream ? await probe.streamed(asked) : await probe.whole(asked);
  };
  if (probe.speech.name !== "chat") return await ask(false);
  const { status } = await probe.answer({ ...longStory, hasOldCap: false }, isStream);
  return await ask(status === 400);
}

function expectCut({ reading }: Awaited<ReturnType<Probe["whole"]>>): void {
  const output = reading.usage?.output ?? 0;
  const wasCut = reading.stop === "length";
  orSkip(wasCut || output === 0 || output >= 16, "the model ended by itself");
  mustHold(wasCut, "The answer was cut off and does not say so.");
}
