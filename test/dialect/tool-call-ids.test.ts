import { describe, expect, it } from "vitest";
import {
  buildSanitizedCallIdMap,
  createUniqueToolCallIdAssigner,
} from "../../src/dialect/tool-call-ids.ts";
import type { NeutralRequest } from "../../src/dialect/neutral-request.ts";
import { callPart, emptyTurn } from "../support/empty-turn.ts";

function history(ids: readonly string[]): NeutralRequest {
  const messages = ids.map(
    (id) => ({ path: "m", role: "assistant", parts: [callPart(id)] }) as const,
  );
  return { ...emptyTurn, messages };
}

describe("call ids of a history", () => {
  it("[function.ids-of-history] makes a valid id, the same in every turn", () => {
    const first = buildSanitizedCallIdMap(history(["functions.Bash:0"]));
    const second = buildSanitizedCallIdMap(
      history(["functions.Bash:0", "functions_Bash_0", "functions/Bash:0"]),
    );
    expect(first.get("functions.Bash:0")).toBe("functions_Bash_0");
    expect(second.get("functions.Bash:0")).toBe("functions_Bash_0");
    expect(second.get("functions_Bash_0")).toMatch(/^functions_Bash_0_[0-9a-f]{6}$/);
    expect(new Set(second.values()).size).toBe(3);
  });

  it("keeps a valid id and fills an empty one", () => {
    expect([...buildSanitizedCallIdMap(history(["call_1", ""]))]).toEqual([
      ["call_1", "call_1"],
      ["", "toolu_0"],
    ]);
  });
});

describe("call ids of an answer", () => {
  it("[function.ids-of-answer] is valid before the caller sees it", () => {
    expect(createUniqueToolCallIdAssigner(new Set(), "01")("Bash:0")).toBe("Bash_0");
  });

  it("[function.ids-again] an id of the history gets a suffix", () => {
    const give = createUniqueToolCallIdAssigner(new Set(["call_0", "call_0_2"]), "01");
    expect([give("call_0"), give("call_0"), give("call_1")]).toEqual([
      "call_0_3",
      "call_0_4",
      "call_1",
    ]);
  });

  it("fills empty ids", () => {
    const give = createUniqueToolCallIdAssigner(new Set(), "01");
    expect([give(""), give("")]).toEqual(["call_01", "call_01_2"]);
  });
});
