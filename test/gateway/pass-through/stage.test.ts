import { describe, expect, it } from "vitest";
import { createCallFailure, type CallFailure } from "../../../src/gateway/call/call-failure.ts";
import {
  createTransformStage,
  createListTransformStage,
  createOptionalStage,
  pipeStreamStages,
  createTapStage,
  type StreamStageFactory,
  type StreamStage,
} from "../../../src/gateway/pass-through/stage.ts";

/** A last stage that remembers what it heard. */
class Heard<Input> implements StreamStage<Input> {
  readonly inputs: Input[] = [];
  readonly endings: (CallFailure | "finished")[] = [];
  mayGoOn = true;

  push(input: Input): boolean {
    this.inputs.push(input);
    return this.mayGoOn;
  }

  finish(): void {
    this.endings.push("finished");
  }

  fail(cause: CallFailure): void {
    this.endings.push(cause);
  }
}

const cause = createCallFailure("upstream_timeout", "Too slow.");

/** Words of a text, the last one when the text ends. */
function words(): StreamStageFactory<string, readonly string[]> {
  let rest = "";
  return createTransformStage({
    push(text: string) {
      const all = (rest + text).split(" ");
      rest = all.pop() ?? "";
      return all;
    },
    finish: () => (rest === "" ? [] : [rest]),
  });
}

/** Every word twice, and a point at the end. */
const doubled = () =>
  createListTransformStage({
    push: (word: string) => [word, word],
    finish: () => ["."] as const,
  });

describe("pipe()", () => {
  it("leads through its stages in their order", () => {
    const seen: string[] = [];
    const heard = new Heard<readonly string[]>();
    const stage = pipeStreamStages(
      words(),
      createTapStage((word) => seen.push(word)),
      doubled(),
      heard,
    );
    expect([stage.push("a b c"), stage.push("d")]).toEqual([true, true]);
    expect(heard.inputs).toEqual([["a", "a", "b", "b"]]);
    stage.finish();
    expect(heard.inputs.slice(1)).toEqual([["cd", "cd"], ["."]]);
    expect(heard.endings).toEqual(["finished"]);
    expect(seen).toEqual(["a", "b", "cd"]);
  });

  it("says whether the last stage may go on, and nothing of it when nothing is told", () => {
    const heard = new Heard<readonly string[]>();
    const stage = pipeStreamStages(words(), doubled(), heard);
    heard.mayGoOn = false;
    expect(stage.push("a")).toBe(true);
    expect(stage.push(" ")).toBe(false);
  });

  it("hands a failure on at once, without what is held", () => {
    const heard = new Heard<readonly string[]>();
    const stage = pipeStreamStages(
      words(),
      createTapStage(() => undefined),
      doubled(),
      heard,
    );
    stage.push("a b");
    stage.fail(cause);
    expect(heard.inputs).toEqual([["a", "a"]]);
    expect(heard.endings).toEqual([cause]);
  });

  it("leaves out a stage that a stream does not go through", () => {
    const heard = new Heard<readonly string[]>();
    expect(pipeStreamStages(createOptionalStage<readonly string[]>(undefined), heard)).toBe(heard);
    const stage = pipeStreamStages(words(), createOptionalStage(doubled()), heard);
    stage.push("a ");
    expect(heard.inputs).toEqual([["a", "a"]]);
  });

  it("lets a stage end the stream before its input has ended", () => {
    const heard = new Heard<readonly string[]>();
    const untilStop: StreamStageFactory<readonly string[], readonly string[]> = (next) => ({
      push(said) {
        const stop = said.indexOf("stop");
        if (stop === -1) return next.push(said);
        next.push(said.slice(0, stop));
        next.finish();
        return true;
      },
      finish: () => next.finish(),
      fail: (failed) => next.fail(failed),
    });
    pipeStreamStages(words(), untilStop, heard).push("go on stop no ");
    expect(heard.inputs).toEqual([["go", "on"]]);
    expect(heard.endings).toEqual(["finished"]);
  });
});
