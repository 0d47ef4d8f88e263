import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConformanceDialectName } from "../../src/conformance/case-request.ts";
import { chatConformanceDialect } from "../../src/conformance/dialect/chat/index.ts";
import { messagesConformanceDialect } from "../../src/conformance/dialect/messages/index.ts";
import { responsesConformanceDialect } from "../../src/conformance/dialect/responses/index.ts";
import { getDialectCodec } from "../../src/dialect/codecs.ts";
import { parseEventStreamText } from "../../src/platform/sse/read-events.ts";
import { someEvents } from "../dialect/arbitrary-request.ts";
import { accumulate as officialChat } from "../dialect/chat/official-client.ts";
import {
  accumulate as officialResponse,
  withoutHelpers,
} from "../dialect/responses/official-client.ts";
import { responseFixtures } from "../gateway/transcode/response-fixtures.ts";
import { answerContext } from "../support/codec-contexts.ts";
import { officialMessage } from "../support/official-messages.ts";

const speeches = {
  chat: chatConformanceDialect,
  messages: messagesConformanceDialect,
  responses: responsesConformanceDialect,
};

const official: Readonly<Record<ConformanceDialectName, (stream: string) => Promise<unknown>>> = {
  chat: async (stream) => chatWire(await officialChat(stream)),
  messages: officialMessage,
  responses: async (stream) => withoutHelpers((await officialResponse(stream)).response),
};

/** Without what the client adds, and what it knows nothing of and keeps by accident. */
function chatWire(value: unknown): unknown {
  const added = new Set(["parsed", "parsed_arguments", "reasoning_content", "reasoning_details"]);
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      added.has(name) || isNothing(name, member) ? undefined : member,
    ),
  );
}

function isNothing(name: string, member: unknown): boolean {
  return (name === "logprobs" || name === "refusal" || name === "content") && member === null;
}

function own(dialect: ConformanceDialectName, stream: string): unknown {
  const whole = speeches[dialect].accumulate(parseEventStreamText(stream));
  return dialect === "chat" ? chatWire(whole) : withoutHelpers(whole);
}

const names = ["chat", "messages", "responses"] as const;

describe.each(names)("what a stream of %s adds up to", (dialect) => {
  it("is what the official client makes of the vendor's stream", async () => {
    const stream = responseFixtures[dialect].frames.join("");
    expect(own(dialect, stream)).toEqual(await official[dialect](stream));
  });

  it("[start.cli-conformance] is what the official client makes of any stream of ours", async () => {
    const choices = { isChatOrder: true, kinds: ["function"], hasCitations: true } as const;
    await fc.assert(
      fc.asyncProperty(someEvents(choices), async ({ events }) => {
        const context = answerContext({ wantsStreamUsage: true });
        const encoder = getDialectCodec(`dialect_${dialect}`).encodeStream(context);
        const stream = events.map((event) => encoder.push(event)).join("");
        expect(own(dialect, stream)).toEqual(await official[dialect](stream));
      }),
      { numRuns: 100 },
    );
  });

  it("is refused wherever the official client throws, if a frame is lost, doubled or moved", async () => {
    const { frames } = responseFixtures[dialect];
    const spoilt = frames.flatMap((frame, at) => [
      frames.toSpliced(at, 1),
      frames.toSpliced(at, 0, frame),
      frames.toSpliced(at, 2, ...frames.slice(at, at + 2).toReversed()),
    ]);
    const verdicts = await Promise.all(
      spoilt.map(async (pieces) => {
        const stream = pieces.join("");
        const theirs = await official[dialect](stream).then(
          () => "read",
          () => "refused",
        );
        const ours = verdictOf(() => own(dialect, stream));
        return { stream, theirs, ours };
      }),
    );
    const tooLenient = verdicts.filter(
      ({ ours, theirs }) => theirs === "refused" && ours === "read",
    );
    expect(tooLenient.map(({ stream }) => stream)).toEqual([]);
    expect(verdicts.filter(({ ours }) => ours === "read").length).toBeGreaterThan(0);
  });
});

function verdictOf(read: () => unknown): "read" | "refused" {
  try {
    read();
    return "read";
  } catch {
    return "refused";
  }
}
