import { expect, it } from "vitest";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import type { CallerResponse } from "../../../src/gateway/call/caller-response.ts";
import { TranscodedUsageMeter } from "../../../src/gateway/transcode/transcode-meter.ts";
import { uncountedMemoryReserver } from "../../../src/platform/hold-memory.ts";

it("an answer may have ten thousand parts and not one more", () => {
  const meter = new TranscodedUsageMeter({} as CallerResponse, uncountedMemoryReserver);
  const start = (index: number): NeutralEvent => ({
    type: "part-start",
    index,
    part: { type: "text" },
  });
  for (let index = 0; index < 10_000; index += 1) meter.count(start(index));
  expect(() => meter.count(start(10_000))).toThrow(MalformedResponseError);
});
