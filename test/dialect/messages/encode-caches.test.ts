import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/dialect/json.ts";
import { fromChat, messagesOf } from "../../support/messages-upstream.ts";

describe("caches", () => {
  const marked = (text: string, mark: JsonObject) => ({ type: "text", text, ...mark });

  it("breakpoints of chat are kept, their life is the default", () => {
    const mark = { prompt_cache_breakpoint: { mode: "explicit", ttl: "30m" } };
    const messages = [{ role: "user", content: [marked("a", mark)] }];
    const { warnings, ...sent } = fromChat({ messages });
    expect(messagesOf(sent)[0]?.content).toEqual([
      { type: "text", text: "a", cache_control: { type: "ephemeral" } },
    ]);
    expect(warnings).toEqual([
      "messages[0].content[0].prompt_cache_breakpoint.ttl approximated default",
    ]);
  });

  it("the last four are kept", () => {
    const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const content = ["a", "b", "c", "d", "e"].map((text) => marked(text, mark));
    const { warnings, ...sent } = fromChat({ messages: [{ role: "user", content }] });
    const blocks = messagesOf(sent)[0]?.content as readonly JsonObject[];
    expect(blocks.map((block) => "cache_control" in block)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(blocks[1]).toMatchObject({ cache_control: { type: "ephemeral", ttl: "1h" } });
    expect(warnings).toEqual(["messages[0].content[0].cache_control dropped limit"]);
  });
});
