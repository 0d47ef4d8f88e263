import { describe, it } from "vitest";
import { TurnEventJournal } from "../../../src/turn/journal/response-journal.ts";
import { expectLinear } from "../../support/growth.ts";

describe("TurnEventJournal", () => {
  it("begins items beside many that have not ended in time that grows with their number", () => {
    expectLinear(4000, (size) => () => {
      const journal = new TurnEventJournal({ id: "turn_1" });
      for (let at = 0; at < size; at += 1) journal.begin({ type: "mcp_call", id: `mcp_${at}` });
    });
  });
});
