/** Requests for approvals among items that a client has kept itself. */
import { describe, expect, it } from "vitest";
import { insertToolCallsBeforeApprovals } from "../../../src/agent/thread/approval-calls.ts";

const user = { type: "message", role: "user", content: "Go." };
const asked = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "shop",
  name: "buy",
  arguments: "{}",
};
const call = { type: "function_call", call_id: "mcpr_1", name: "buy", arguments: "{}" };
const kept = { ...asked, call_id: "mcpr_1" };
const answer = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
const made = { type: "mcp_call", id: "mcp_1", approval_request_id: "mcpr_1", name: "buy" };
const output = (text: string) => ({
  type: "function_call_output",
  call_id: "mcpr_1",
  output: text,
});

describe("a request for an approval", () => {
  it("that waits has its call in front of it", () => {
    expect(insertToolCallsBeforeApprovals([user, asked], () => true)).toEqual([user, call, kept]);
  });

  it("whose call was made is told by that alone", () => {
    expect(insertToolCallsBeforeApprovals([user, asked, answer, made], () => true)).toEqual([
      user,
      made,
    ]);
  });

  it("that was refused has that as its result", () => {
    const refused = { ...answer, approve: false, reason: "No." };
    expect(insertToolCallsBeforeApprovals([user, asked, refused, user], () => true)).toEqual([
      user,
      call,
      kept,
      output("The call was not made: its approval was refused: No."),
      user,
    ]);
  });

  it("that was approved, and of which nothing else is known, has that as its result", () => {
    expect(insertToolCallsBeforeApprovals([asked, answer], () => true).at(-1)).toEqual(
      output("The call was approved; what came of it was not sent back."),
    );
  });

  it("that was passed over, and an answer to none, are nothing", () => {
    expect(insertToolCallsBeforeApprovals([user, asked, user], () => true)).toEqual([user, user]);
    expect(insertToolCallsBeforeApprovals([user, answer], () => true)).toEqual([user]);
  });

  it("inserts one call when the request and its answer are repeated", () => {
    expect(insertToolCallsBeforeApprovals([user, asked, asked, asked], () => true)).toEqual([
      user,
      call,
      kept,
    ]);
    const refused = { ...answer, approve: false };
    const repeated = insertToolCallsBeforeApprovals([asked, refused, asked, refused], () => true);
    expect(repeated.map(({ type }) => type)).toEqual([
      "function_call",
      "mcp_approval_request",
      "function_call_output",
    ]);
  });

  it("of a thread stays as it is", () => {
    const items = [user, call, kept, output("done"), user];
    expect(insertToolCallsBeforeApprovals(items, () => true)).toEqual(items);
  });
});
