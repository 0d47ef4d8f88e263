import { describe, expect, it } from "vitest";
import {
  resolveCallerToolReplies,
  type CallerToolRepliesInput,
} from "../../../src/gateway/agent/given-answers.ts";

describe("resolveCallerToolReplies", () => {
  it("rejects a thousand and one approvals without looking them up", async () => {
    const approvals = Array.from({ length: 1001 }, (_, at) => ({
      type: "mcp_approval_response",
      approval_request_id: `mcpr_${at}`,
      approve: true,
    }));
    const parts = approvals.map((raw, at) => ({
      type: "opaque",
      path: `input[${at}].type`,
      raw,
    }));
    const call = {
      accountId: "user_1",
      request: { newItems: approvals, neutralRequest: { messages: [{ parts }] } },
    } as unknown as CallerToolRepliesInput;
    const fail = () => Promise.reject(new Error("they were looked up"));
    const resolved = resolveCallerToolReplies({ answered: fail, find: fail }, call);
    await expect(resolved).rejects.toMatchObject({
      code: "invalid_request",
      param: "input[1000]",
      message: expect.stringContaining("at most 1000 approvals"),
    });
  });
});
