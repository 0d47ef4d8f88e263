import { describe, expect, it } from "vitest";
import { extractResponseModel } from "../../../src/gateway/upstream/extract-model.ts";

describe("the model that an answer names", () => {
  it.each([
    ["of chat", '{"id":"1","model":"acme-large","choices":[]}', "acme-large"],
    ["between blanks", '{"object":"model", "model" : "acme/small:2" }', "acme/small:2"],
    ["of an event", 'data: {"message":{"model":"claude"}}', "claude"],
    ["of 128 characters", `{"model":"${"m".repeat(128)}"}`, "m".repeat(128)],
    ["of 129 characters", `{"model":"${"m".repeat(129)}"}`, undefined],
    ["inside a text", '{"text":"it says \\"model\\": \\"other\\""}', undefined],
    ["that is null", '{"model":null}', undefined],
    ["of nothing", "", undefined],
    ["that is cut off", '{"model":"cut o', undefined],
    ["behind 4096 characters", `{"text":"${"x".repeat(4096)}","model":"late"}`, undefined],
  ])("is read or passed over: a name %s", (_, text, model) => {
    expect(extractResponseModel(Buffer.from(text))).toBe(model);
  });
});
