import { objectOrEmpty, tryParseJsonObject } from "../grammar/fields.ts";
import { failCaseUnless, skipCaseUnless } from "../outcome.ts";
import type { ConformanceResponseUsage } from "../parsed-response.ts";
import { helloRequest } from "./requests.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** What an answer says that it cost. */
export const usageConformanceCases: readonly ConformanceCase[] = [
  {
    name: "usage-whole",
    requirement: "A whole answer tells its usage, and the sums are right.",
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestWhole(helloRequest);
      expectSums(reading.usage);
    },
  },
  {
    name: "usage-streamed",
    requirement: "A stream tells its usage, and the sums are right.",
    needsModel: true,
    async run(probe) {
      const { parsed: reading } = await probe.requestStream(helloRequest);
      expectSums(reading.usage);
    },
  },
  {
    name: "usage-equal",
    requirement: "The same request costs the same input, streamed or not, caches included.",
    needsModel: true,
    async run(probe) {
      const { usage: whole } = (await probe.requestWhole(helloRequest)).parsed;
      const { usage: streamed } = (await probe.requestStream(helloRequest)).parsed;
      skipCaseUnless(whole !== undefined && streamed !== undefined, "no usage is told");
      failCaseUnless(
        whole.input === streamed.input,
        `The input is ${whole.input} in the whole answer and ${streamed.input} in the stream.`,
      );
    },
  },
  {
    name: "usage-unasked",
    requirement: "A stream that was not asked for its usage has no chunk with it.",
    dialects: ["chat"],
    needsModel: true,
    async run(probe) {
      const events = probe.eventsOf(
        await probe.sendCase({ ...helloRequest, wantsUsage: false }, true),
      );
      probe.speech.accumulate(events);
      const chunks = events.map(({ data }) => objectOrEmpty(tryParseJsonObject(data)));
      const alone = chunks.filter(
        ({ choices, usage }) =>
          Array.isArray(choices) && choices.length === 0 && typeof usage === "object" && usage,
      );
      failCaseUnless(
        alone.length === 0,
        "A chunk without choices has a usage that was not asked for.",
      );
    },
  },
];

function expectSums(usage: ConformanceResponseUsage | undefined): void {
  failCaseUnless(usage !== undefined, "No usage is told.");
  const { input, cached, output, total } = usage;
  failCaseUnless(input > 0, "The input counts no tokens.");
  failCaseUnless(output > 0, "The output counts no tokens.");
  failCaseUnless(
    cached <= input,
    `${cached} cached tokens are more than the ${input} of the input.`,
  );
  if (total === undefined) return;
  failCaseUnless(total === input + output, `The total ${total} is not ${input} + ${output}.`);
}
