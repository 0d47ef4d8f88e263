import { expect, it } from "vitest";
import type { CallFailure } from "../../../src/gateway/call/call-failure.ts";
import type { AttemptResponseState } from "../../../src/gateway/transcode/end-response.ts";
import { createExceptionToFailureStage } from "../../../src/gateway/transcode/guard-response.ts";
import type { ResolvedUpstream } from "../../../src/gateway/upstream/call-target.ts";

const target = { name: "own/slow" } as ResolvedUpstream;

/** Pushes pieces of an answer whose every slice takes so long. */
function pushAnswer(sizes: readonly number[], millisecondsPerSlice: number) {
  const failures: CallFailure[] = [];
  let time = 0;
  let bytes = 0;
  const state: AttemptResponseState = { phase: "open" };
  const stage = createExceptionToFailureStage(
    state,
    { target, reportInternalError: () => undefined },
    () => time,
  )({
    push: (slice) => {
      time += millisecondsPerSlice;
      bytes += slice.length;
      return true;
    },
    finish: () => undefined,
    fail: (cause) => {
      state.phase = "ended";
      failures.push(cause);
    },
  });
  for (const size of sizes) stage.push(Buffer.alloc(size));
  return { failures, bytes };
}

it("an answer that takes two seconds and a quarter of one per MiB passes", () => {
  const mebibyte = 1024 * 1024;
  const { failures, bytes } = pushAnswer([8 * mebibyte], 7.8);
  expect([failures, bytes]).toEqual([[], 8 * mebibyte]);
});

it("an answer that takes longer fails the call between two slices of one piece", () => {
  const { failures, bytes } = pushAnswer([64 * 1024, 1024], 900);
  expect(failures).toMatchObject([{ code: "upstream_malformed" }]);
  expect(failures[0]?.message).toBe(
    "The upstream `own/slow` sent an answer that takes too long to translate.",
  );
  expect(bytes).toBe(48 * 1024);
});
