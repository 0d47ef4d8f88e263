import { describe, expect, it } from "vitest";
import {
  resolveCallerAnswers,
  type CallerAnswersInput,
} from "../../../src/gateway/agent/given-answers.ts";

describe("resolveCallerAnswers", () => {
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
    } as unknown as CallerAnswersInput;
    const fail = () => Promise.reject(new Error("they were looked up"));
    const resolved = resolveCallerAnswers({ answered: fail, find: fail }, call);
    await expect(resolved).rejects.toMatchObject({
      code: "invalid_request",
      param: "input[1000]",
      message: expect.stringContaining("at most 1000 approvals"),
    });
  });
});
