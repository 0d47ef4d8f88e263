import { describe, expect, it } from "vitest";
import { placeToolResultsAfterCalls } from "../../src/dialect/pair-tool-results.ts";
import type {
  NeutralPart,
  NeutralRequest,
  NeutralMessage,
  NeutralRole,
} from "../../src/dialect/neutral-request.ts";
import { callPart, emptyTurn, resultPart } from "../support/empty-turn.ts";

function turnOf(
  roles: readonly (readonly [NeutralRole, ...NeutralPart[]])[],
  origin = emptyTurn.origin,
): NeutralRequest {
  const messages = roles.map(([role, ...parts], index): NeutralMessage => ({
    path: `messages[${index}]`,
    role,
    parts,
  }));
  return { ...emptyTurn, origin, messages };
}

function text(words: string): NeutralPart {
  return { type: "text", path: "t", text: words };
}

/** Roles with the ids, texts and results of their messages. */
function outline(turn: NeutralRequest): readonly string[] {
  return turn.messages.map(({ role, parts }) =>
    [role, ...parts.map((part) => outlinePart(part))].join(" "),
  );
}

function outlinePart(part: NeutralPart): string {
  if (part.type === "tool-call") return `+${part.id}`;
  if (part.type === "tool-result") return `-${part.callId}`;
  return part.type === "text" ? part.text : part.type;
}

describe("pairing of calls and results", () => {
  it("returns a turn without tools as it is", () => {
    const turn = turnOf([["user", text("hi")]]);
    expect(placeToolResultsAfterCalls(turn)).toBe(turn);
  });

  it("[function.pairs] brings split results together, in the order of the calls", () => {
    const turn = turnOf([
      ["assistant", text("a"), callPart("1"), callPart("2")],
      ["tool", resultPart("2")],
      ["user", text("u")],
      ["tool", resultPart("1")],
    ]);
    expect(outline(placeToolResultsAfterCalls(turn))).toEqual([
      "assistant a +1 +2",
      "tool -1 -2",
      "user u",
    ]);
  });

  it("joins calls that came in several messages", () => {
    const turn = turnOf([
      ["assistant", callPart("1")],
      ["assistant", text("a"), callPart("2")],
      ["tool", resultPart("1"), resultPart("2")],
    ]);
    expect(outline(placeToolResultsAfterCalls(turn))).toEqual(["assistant +1 a +2", "tool -1 -2"]);
  });

  it("takes the kind of the result from its call", () => {
    const call = { ...callPart("1"), kind: "custom" } as const;
    const paired = placeToolResultsAfterCalls(
      turnOf([
        ["assistant", call],
        ["tool", resultPart("1")],
      ]),
    );
    expect(paired.messages[1]?.parts[0]).toMatchObject({ kind: "custom" });
  });

  it("gives an id that comes again a new one, the same in every turn", () => {
    const again = [
      ["assistant", callPart("call_0")],
      ["tool", resultPart("call_0")],
    ] as const;
    const [, , third, fourth] = outline(placeToolResultsAfterCalls(turnOf([...again, ...again])));
    expect(third).toMatch(/^assistant \+call_0_[0-9a-f]{6}$/);
    expect(fourth).toBe(third?.replace("assistant +", "tool -"));
    const longer = outline(placeToolResultsAfterCalls(turnOf([...again, ...again, ...again])));
    expect(longer[2]).toBe(third);
    expect(new Set(longer).size).toBe(6);
  });

  it("regroups items of responses that stand in any order", () => {
    const turn = turnOf(
      [
        ["tool", resultPart("1")],
        ["assistant", callPart("1")],
      ],
      "dialect_responses",
    );
    expect(outline(placeToolResultsAfterCalls(turn))).toEqual(["assistant +1", "tool -1"]);
  });
});

describe("refusals of what does not pair", () => {
  it.each([
    ["a call without a result", "messages[0]", /`1` has no result/, [["assistant", callPart("1")]]],
    ["an orphan", "result(1)", /no call `1`/, [["tool", resultPart("1")]]],
    [
      "a second result",
      "result(1)",
      /two results/,
      [
        ["assistant", callPart("1")],
        ["tool", resultPart("1"), resultPart("1")],
      ],
    ],
    [
      "a result before its call",
      "result(1)",
      /before its call/,
      [
        ["tool", resultPart("1")],
        ["assistant", callPart("1")],
      ],
    ],
  ] as const)("refuses %s and names its place", (_, param, message, roles) => {
    expect(() => placeToolResultsAfterCalls(turnOf(roles))).toThrow(
      expect.objectContaining({ param, message: expect.stringMatching(message) as string }),
    );
  });

  it("names the item of responses", () => {
    expect(() =>
      placeToolResultsAfterCalls(turnOf([["assistant", callPart("1")]], "dialect_responses")),
    ).toThrow(expect.objectContaining({ param: "call(1)" }));
  });
});
