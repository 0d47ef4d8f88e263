import { describe, expect, it } from "vitest";
import { EventStreamResponseObjectExtractor } from "../../../src/gateway/pass-through/response-extractor.ts";

function completed(values: number): Buffer {
  const output = Array.from({ length: values }, () => "{}").join(",");
  const response = `{"id":"resp_1","output":[${output}]}`;
  return Buffer.from(`data: {"type":"response.completed","response":${response}}\n\n`);
}

describe("EventResponseExtractor", () => {
  it("finds the response in the last event", () => {
    const found = new EventStreamResponseObjectExtractor(() => undefined).push(completed(1));
    expect(found).toEqual({ id: "resp_1", output: [{}] });
  });

  it("finds none in an event of more values than are parsed", () => {
    expect(
      new EventStreamResponseObjectExtractor(() => undefined).push(completed(400_001)),
    ).toBeUndefined();
  });

  it("finds none in an event whose values cannot be held", () => {
    const refuse = (bytes: number): void => {
      if (bytes > 1_000_000) throw new Error("There is no room.");
    };
    expect(new EventStreamResponseObjectExtractor(refuse).push(completed(20_000))).toBeUndefined();
  });
});
