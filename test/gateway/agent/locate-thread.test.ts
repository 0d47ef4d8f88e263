import { describe, expect, it } from "vitest";
import {
  locateThreadContinuationPoint,
  type ThreadLookupDependencies,
} from "../../../src/gateway/agent/locate-thread.ts";
import type { ModelCall } from "../../../src/gateway/call/model-call.ts";

describe("locateThreadContinuationPoint", () => {
  it.each([5, {}, false])("rejects %j as `previous_response_id`", async (value) => {
    const call = { key: { principal: { accountId: "user_1" } }, controls: {} } as ModelCall;
    const located = locateThreadContinuationPoint({} as ThreadLookupDependencies, call, {
      previous_response_id: value,
    });
    await expect(located).rejects.toMatchObject({
      code: "invalid_request",
      param: "previous_response_id",
    });
  });
});
