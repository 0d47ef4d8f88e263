import type { ConformanceCaseRequest } from "../case-request.ts";
import { failCaseUnless, skipCaseUnless } from "../outcome.ts";
import type { ConformanceClient } from "../dialect-client.ts";
import { helloRequest, longInstructions, redDotDataUrl } from "./requests.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { expectNoViolations } from "./expectations.ts";

const plain: ConformanceCaseRequest = {
  messages: [{ type: "user", text: "Who are you? One short sentence." }],
};

/** What a conversation may hold besides words of a user. */
export const conversationConformanceCases: readonly ConformanceCase[] = [
  {
    name: "system",
    requirement: "Instructions reach the model: they count in the usage.",
    needsModel: true,
    run: (probe) => expectMoreTokens(probe, { ...plain, system: longInstructions }),
  },
  {
    name: "system-inside",
    requirement:
      "A system message in the middle of a conversation reaches the model, or is refused.",
    needsModel: true,
    run: (probe) =>
      expectMoreTokens(probe, {
        messages: [
          ...plain.messages,
          { type: "system", text: longInstructions },
          { type: "user", text: "Go on." },
        ],
      }),
  },
  {
    name: "turns",
    requirement: "An answer that is sent back as it came is taken as history.",
    needsModel: true,
    async run(probe) {
      const { body } = await probe.requestStream(helloRequest);
      const turns = [
        ...helloRequest.messages,
        { type: "answer", body },
        ...plain.messages,
      ] as const;
      const { parsed: reading } = await probe.requestWhole({ messages: turns });
      failCaseUnless(reading.text !== "", "The answer is empty.");
    },
  },
  {
    name: "image",
    requirement: "An image reaches the model or is refused, and is never left out in silence.",
    needsModel: true,
    run: (probe) =>
      expectMoreTokens(probe, {
        messages: [
          { type: "image", text: "Who are you? One short sentence.", dataUrl: redDotDataUrl },
        ],
      }),
  },
  {
    name: "previous-response",
    requirement: "A response that names an earlier one is answered with its history, or refused.",
    dialects: ["responses"],
    needsModel: true,
    async run(probe) {
      const first = await probe.requestWhole({
        messages: [{ type: "user", text: longInstructions }],
      });
      const extra = { previous_response_id: first.parsed.id };
      const answer = await probe.sendCase({ ...plain, extra });
      skipCaseUnless(answer.status < 400, `the gateway keeps no responses (${answer.status})`);
      const { parsed: reading } = probe.readWhole(answer);
      const alone = await probe.requestWhole(plain);
      skipCaseUnless(
        reading.usage !== undefined && alone.parsed.usage !== undefined,
        "no usage is told",
      );
      failCaseUnless(
        reading.usage.input > alone.parsed.usage.input,
        "The answer was made without the history.",
      );
    },
  },
  {
    name: "previous-response-unknown",
    requirement:
      "A response that names one that is not there is refused, not answered without history.",
    dialects: ["responses"],
    needsModel: true,
    async run(probe) {
      const extra = { previous_response_id: "resp_00000000000000000000000000" };
      const { status, body } = await probe.sendCase({ ...plain, extra });
      failCaseUnless(status >= 400 && status < 500, `The answer is ${status}.`);
      expectNoViolations(probe.speech.checkError(body));
    },
  },
];

/** The ask costs more input than the plain one, or is refused in the dialect's form. */
async function expectMoreTokens(
  probe: ConformanceClient,
  ask: ConformanceCaseRequest,
): Promise<void> {
  const answer = await probe.sendCase(ask);
  if (answer.status >= 400 && answer.status < 500) {
    expectNoViolations(probe.speech.checkError(answer.body));
    skipCaseUnless(false, `refused with ${answer.status}`);
  }
  const { parsed: reading } = probe.readWhole(answer);
  const { parsed: alone } = await probe.requestWhole(plain);
  skipCaseUnless(reading.usage !== undefined && alone.usage !== undefined, "no usage is told");
  failCaseUnless(
    reading.usage.input > alone.usage.input,
    "The input counts no more tokens than without.",
  );
}
