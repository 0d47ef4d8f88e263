import { describe, expect, it } from "vitest";
import { startStreamTransform } from "../../../src/dialect/step-machine.ts";
import { createToolArgumentsRepairer } from "../../../src/gateway/agent/object-arguments.ts";

/** Text of the arguments that a caller gets for these of a model. */
function argumentsTold(text: string): string {
  const steps = startStreamTransform(createToolArgumentsRepairer());
  const part = { type: "tool-call", kind: "function", id: "a", name: "f" } as const;
  steps.push({ type: "part-start", index: 0, part });
  steps.push({ type: "part-delta", index: 0, delta: { type: "arguments", text } });
  const [told] = steps.push({ type: "part-end", index: 0 });
  return told?.type === "part-delta" && told.delta.type === "arguments" ? told.delta.text : "";
}

describe("objectArguments()", () => {
  it("tells cut arguments as far as they came", () => {
    expect(argumentsTold('{"a":1,"b":[2,')).toBe('{"a":1,"b":[2]}');
  });

  it("tells an empty object for cut arguments that nest too deep to be walked through", () => {
    expect(argumentsTold(`{"a":${"[".repeat(20_000)}`)).toBe("{}");
  });
});
