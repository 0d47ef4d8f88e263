import { describe, expect, it } from "vitest";
import { MalformedResponseError } from "../../../src/dialect/codec.ts";
import type { NeutralEvent } from "../../../src/dialect/neutral-event.ts";
import type { CallerResponse } from "../../../src/gateway/call/caller-response.ts";
import { TranscodedUsageMeter } from "../../../src/gateway/transcode/transcode-meter.ts";
import { noopMemoryReserver } from "../../../src/platform/hold-memory.ts";

it("an answer may have ten thousand parts and not one more", () => {
  const meter = new TranscodedUsageMeter({} as CallerResponse, noopMemoryReserver);
  const start = (index: number): NeutralEvent => ({
    type: "part-start",
    index,
    part: { type: "text" },
  });
  for (let index = 0; index < 10_000; index += 1) meter.count(start(index));
  expect(() => meter.count(start(10_000))).toThrow(MalformedResponseError);
});

describe("an answer ends beyond 32 MiB", () => {
  type Count = (meter: TranscodedUsageMeter, text: string) => void;
  const almost = "a".repeat(32 * 1024 * 1024 - 1000);

  it.each<readonly [string, Count]>([
    [
      "of text",
      (meter, text) => meter.count({ type: "part-delta", index: 0, delta: { type: "text", text } }),
    ],
    [
      "of names of tools",
      (meter, name) =>
        meter.count({
          type: "part-start",
          index: 0,
          part: { type: "tool-call", kind: "function", id: "", name },
        }),
    ],
    ["of what the decoder keeps", (meter, text) => meter.countKept(text)],
  ])("%s", (_what, count) => {
    const meter = new TranscodedUsageMeter({} as CallerResponse, noopMemoryReserver);
    count(meter, almost);
    count(meter, "a".repeat(500));
    expect(() => count(meter, "a".repeat(501))).toThrow("more than 32 MiB");
  });
});
