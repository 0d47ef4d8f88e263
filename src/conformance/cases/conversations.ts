import type { CaseAsk } from "../ask.ts";
import { mustHold, orSkip } from "../outcome.ts";
import type { Probe } from "../probe.ts";
import { hello, instructions, redDot } from "./asks.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { expectShape } from "./expectations.ts";

const plain: CaseAsk = { turns: [{ type: "user", text: "Who are you? One short sentence." }] };

/** What a conversation may hold besides words of a user. */
export const conversationCases: readonly ConformanceCase[] = [
  {
    name: "system",
    holds: "Instructions reach the model: they count in the usage.",
    needsModel: true,
    run: (probe) => expectLonger(probe, { ...plain, system: instructions }),
  },
  {
    name: "system-inside",
    holds: "A system message in the middle of a conversation reaches the model, or is refused.",
    needsModel: true,
    run: (probe) =>
      expectLonger(probe, {
        turns: [
          ...plain.turns,
          { type: "system", text: instructions },
          { type: "user", text: "Go on." },
        ],
      }),
  },
  {
    name: "turns",
    holds: "An answer that is sent back as it came is taken as history.",
    needsModel: true,
    async run(probe) {
      const { body } = await probe.streamed(hello);
      const turns = [...hello.turns, { type: "answer", body }, ...plain.turns] as const;
      const { reading } = await probe.whole({ turns });
      mustHold(reading.text !== "", "The answer is empty.");
    },
  },
  {
    name: "image",
    holds: "An image reaches the model or is refused, and is never left out in silence.",
    needsModel: true,
    run: (probe) =>
      expectLonger(probe, {
        turns: [{ type: "image", text: "Who are you? One short sentence.", dataUrl: redDot }],
      }),
  },
  {
    name: "previous-response",
    holds: "A response that names an earlier one is answered with its history, or refused.",
    dialects: ["responses"],
    needsModel: true,
    async run(probe) {
      const first = await probe.whole({ turns: [{ type: "user", text: instructions }] });
      const extra = { previous_response_id: first.reading.id };
      const answer = await probe.answer({ ...plain, extra });
      orSkip(answer.status < 400, `the gateway keeps no responses (${answer.status})`);
      const { reading } = probe.readWhole(answer);
      const alone = await probe.whole(plain);
      orSkip(reading.usage !== undefined && alone.reading.usage !== undefined, "no usage is told");
      mustHold(
        reading.usage.input > alone.reading.usage.input,
        "The answer was made without the history.",
      );
    },
  },
  {
    name: "previous-response-unknown",
    holds: "A response that names one that is not there is refused, not answered without history.",
    dialects: ["responses"],
    needsModel: true,
    async run(probe) {
      const extra = { previous_response_id: "resp_00000000000000000000000000" };
      const { status, body } = await probe.answer({ ...plain, extra });
      mustHold(status >= 400 && status < 500, `The answer is ${status}.`);
      expectShape(probe.speech.checkError(body));
    },
  },
];

/** The ask costs more input than the plain one, or is refused in the dialect's form. */
async function expectLonger(probe: Probe, ask: CaseAsk): Promise<void> {
  const answer = await probe.answer(ask);
  if (answer.status >= 400 && answer.status < 500) {
    expectShape(probe.speech.checkError(answer.body));
    orSkip(false, `refused with ${answer.status}`);
  }
  const { reading } = probe.readWhole(answer);
  const { reading: alone } = await probe.whole(plain);
  orSkip(reading.usage !== undefined && alone.usage !== undefined, "no usage is told");
  mustHold(
    reading.usage.input > alone.usage.input,
    "The input counts no more tokens than without.",
  );
}
