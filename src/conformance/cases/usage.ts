import { fieldsOf, parseFields } from "../grammar/fields.ts";
import { mustHold, orSkip } from "../outcome.ts";
import type { ReadUsage } from "../reading.ts";
import { hello } from "./asks.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** What an answer says that it cost. */
export const usageCases: readonly ConformanceCase[] = [
  {
    name: "usage-whole",
    holds: "A whole answer tells its usage, and the sums are right.",
    needsModel: true,
    async run(probe) {
      const { reading } = await probe.whole(hello);
      expectSums(reading.usage);
    },
  },
  {
    name: "usage-streamed",
    holds: "A stream tells its usage, and the sums are right.",
    needsModel: true,
    async run(probe) {
      const { reading } = await probe.streamed(hello);
      expectSums(reading.usage);
    },
  },
  {
    name: "usage-equal",
    holds: "The same request costs the same input, streamed or not, caches included.",
    needsModel: true,
    async run(probe) {
      const { usage: whole } = (await probe.whole(hello)).reading;
      const { usage: streamed } = (await probe.streamed(hello)).reading;
      orSkip(whole !== undefined && streamed !== undefined, "no usage is told");
      mustHold(
        whole.input === streamed.input,
        `The input is ${whole.input} in the whole answer and ${streamed.input} in the stream.`,
      );
    },
  },
  {
    name: "usage-unasked",
    holds: "A stream that was not asked for its usage has no chunk with it.",
    dialects: ["chat"],
    needsModel: true,
    async run(probe) {
      const events = probe.eventsOf(await probe.answer({ ...hello, wantsUsage: false }, true));
      probe.speech.accumulate(events);
      const chunks = events.map(({ data }) => fieldsOf(parseFields(data)));
      const alone = chunks.filter(
        ({ choices, usage }) =>
          Array.isArray(choices) && choices.length === 0 && typeof usage === "object" && usage,
      );
      mustHold(alone.length === 0, "A chunk without choices tells the usage unasked.");
    },
  },
];

function expectSums(usage: ReadUsage | undefined): void {
  mustHold(usage !== undefined, "No usage is told.");
  const { input, cached, output, total } = usage;
  mustHold(input > 0, "The input counts no tokens.");
  mustHold(output > 0, "The output counts no tokens.");
  mustHold(cached <= input, `${cached} cached tokens are more than the ${input} of the input.`);
  if (total === undefined) return;
  mustHold(total === input + output, `The total ${total} is not ${input} + ${output}.`);
}
