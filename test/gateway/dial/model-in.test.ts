import { describe, expect, it } from "vitest";
import { modelIn } from "../../../src/gateway/dial/model-in.ts";

describe("the model that an answer names", () => {
  it.each([
    ['{"id":"1","model":"acme-large","choices":[]}', "acme-large"],
    ['{"object":"model", "model" : "acme/small:2" }', "acme/small:2"],
    ['data: {"message":{"model":"claude"}}', "claude"],
    [`{"model":"${"m".repeat(128)}"}`, "m".repeat(128)],
    [`{"model":"${"m".repeat(129)}"}`, undefined],
    ['{"text":"it says \\"model\\": \\"other\\""}', undefined],
    ['{"model":null}', undefined],
    ["", undefined],
    ['{"model":"cut o', undefined],
    [`{"text":"${"x".repeat(4096)}","model":"late"}`, undefined],
  ])("of %j is read", (text, model) => {
    expect(modelIn(Buffer.from(text))).toBe(model);
  });
});
