import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeToolResultsAfterCalls } from "../../../src/dialect/pair-tool-results.ts";
import type { NeutralRequest } from "../../../src/dialect/neutral-request.ts";
import { someTurn } from "../arbitrary-request.ts";
import { decode, encode } from "./contexts.ts";
import { chatFaults } from "../../support/strict-upstream/chat/rules.ts";

const capabilities = fc.record({
  firstParty: fc.boolean(),
  promptCache: fc.boolean(),
  reasoningEcho: fc.boolean(),
  midConversationSystem: fc.constantFrom("native", "hoist", "demote"),
});

/** What a conversation says, without the places where it was said. */
function said(turn: NeutralRequest): unknown {
  const text = JSON.stringify({ system: turn.system, messages: turn.messages, tools: turn.tools });
  return JSON.parse(text, (name, value: unknown) => (/path$/i.test(name) ? undefined : value));
}

describe("property: the request for a chat upstream", () => {
  it("[request.valid] is one that a strict server takes", () => {
    fc.assert(
      fc.property(someTurn(), capabilities, (turn, known) => {
        expect(chatFaults(encode(placeToolResultsAfterCalls(turn), known).body)).toEqual([]);
      }),
    );
  });

  it("[request.stable] is the same, byte for byte, each time", () => {
    fc.assert(
      fc.property(someTurn(), capabilities, (turn, known) => {
        const write = () => JSON.stringify(encode(placeToolResultsAfterCalls(turn), known).body);
        expect(write()).toBe(write());
      }),
    );
  });

  it("is read back as what it was, and written again as the same", () => {
    fc.assert(
      fc.property(someTurn(), (turn) => {
        const first = encode(
          { ...placeToolResultsAfterCalls(turn), origin: "dialect_chat" },
          { firstParty: true },
        );
        const read = decode(first.body).turn;
        expect(encode(read, { firstParty: true }).body).toEqual(first.body);
        expect(said(decode(encode(read, { firstParty: true }).body).turn)).toEqual(said(read));
      }),
    );
  });

  it("is not changed by pairing twice", () => {
    fc.assert(
      fc.property(someTurn(), (turn) => {
        const once = placeToolResultsAfterCalls(turn);
        expect(placeToolResultsAfterCalls(once)).toEqual(once);
      }),
    );
  });
});
