import { describe, expect, it } from "vitest";
import { envelopeOf } from "../../support/codec-contexts.ts";
import { assistant, decode, shapeOf } from "../../support/messages-caller.ts";

describe("thinking in the history", () => {
  it("[thought.signature] a vendor's own signature is kept byte for byte", () => {
    const { turn } = decode(assistant({ type: "thinking", thinking: " hm\n", signature: "a+/=" }));
    expect(turn.messages[1]?.parts).toEqual([
      {
        type: "reasoning",
        path: "messages[1].content[0]",
        texts: [" hm\n"],
        encrypted: { dialect: "dialect_messages", kind: "thinking", signature: "a+/=" },
      },
    ]);
  });

  it("our envelope opens to what the other vendor gave", () => {
    const seal = {
      dialect: "dialect_responses",
      kind: "encrypted",
      id: "rs_1",
      encryptedContent: "enc",
    } as const;
    const signature = envelopeOf().seal(seal, ["one", "two"]);
    const { turn } = decode(assistant({ type: "thinking", thinking: "", signature }));
    expect(turn.messages[1]?.parts).toMatchObject([{ texts: ["one", "two"], encrypted: seal }]);
  });

  it("[thought.tampered] an envelope of another model, and thinking without a signature, are dropped", () => {
    const seal = { dialect: "dialect_chat", kind: "plain" } as const;
    const signature = envelopeOf("custom/lab", "other").seal(seal, ["hm"]);
    const { turn, losses } = decode(
      assistant(
        { type: "thinking", thinking: "hm", signature },
        { type: "thinking", thinking: "hm", signature: "" },
        { type: "text", text: "a" },
      ),
    );
    expect(shapeOf(turn)[1]).toEqual(["assistant", ["text"]]);
    expect(losses).toEqual(["messages[1].content[0] foreign", "messages[1].content[1] foreign"]);
  });

  it("redacted thinking keeps its data", () => {
    const { turn } = decode(assistant({ type: "redacted_thinking", data: "zz==" }));
    expect(turn.messages[1]?.parts).toMatchObject([
      { texts: [], encrypted: { kind: "redacted", data: "zz==" } },
    ]);
  });
});
