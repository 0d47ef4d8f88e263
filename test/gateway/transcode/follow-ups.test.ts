import { expect, it } from "vitest";
import { TranscodedCallHandler } from "../../../src/gateway/transcode/transcode-lane.ts";
import type { TranscodedCall } from "../../../src/gateway/transcode/transcoded-call.ts";

/** Follow-ups that a call to an upstream of this dialect is paid for in advance. */
function maxFollowUpsOf(dialect: string, request: object, compaction?: object) {
  const parts = {
    call: { isStream: false, hold: () => () => undefined },
    response: {},
    from: {},
    to: { dialect },
    request: { tools: [], ...request },
    compaction,
    context: {},
    toOutboundRequest: () => ({}),
  };
  const handler = new TranscodedCallHandler(parts as unknown as TranscodedCall);
  return handler.outbound().maxFollowUps;
}

it.each([
  ["dialect_messages", { tools: [{ type: "hosted" }] }, 5],
  ["dialect_messages", { search: {} }, 5],
  ["dialect_messages", { tools: [{ type: "function" }] }, 0],
  ["dialect_responses", { tools: [{ type: "hosted" }] }, 0],
  ["dialect_chat", { search: {} }, 0],
])("a call to %s with %j is paid for %i pauses in advance", (dialect, request, count) => {
  expect(maxFollowUpsOf(dialect, request)).toBe(count);
});

it("a call that summarizes first is paid for two requests in advance", () => {
  expect(maxFollowUpsOf("dialect_chat", {}, {})).toBe(1);
});
