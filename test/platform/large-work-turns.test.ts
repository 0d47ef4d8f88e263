import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RequestBodyMemoryBudget } from "../../src/platform/body-memory-budget.ts";
import { collectRequestBody } from "../../src/platform/collect-body.ts";
import { FairLargeWorkScheduler } from "../../src/platform/large-work-turns.ts";
import { EventEmitter } from "node:events";

const largeBody = Buffer.alloc(64 * 1024);

/** A body of a holder that has arrived whole; `done` is called when it is handed over. */
function arrive(budget: RequestBodyMemoryBudget, id: string, body: Buffer, done: () => void) {
  const held = budget.allocate({ id, hasCredential: true });
  const source = new EventEmitter();
  collectRequestBody(source, { declared: body.length, limit: body.length, held }, done);
  source.emit("data", body);
  source.emit("end");
  return held;
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await setImmediate();
}

describe("FairLargeWorkScheduler", () => {
  it("starts one piece of work in a turn of the event loop, owner by owner", async () => {
    const turns = new FairLargeWorkScheduler();
    const started: string[] = [];
    const note = (what: string) => () => void started.push(what);
    for (const what of ["a1", "a2", "a3"]) turns.run("a", note(what));
    for (const what of ["b1", "b2"]) turns.run("b", note(what));
    expect(started).toEqual(["a1"]);
    void until(() => started.length === 3).then(note("the loop"));
    await until(() => started.length === 6);
    expect(started.filter((what) => what !== "the loop")).toEqual(["a1", "a2", "b1", "a3", "b2"]);
    expect(started.indexOf("the loop")).toBeLessThan(5);
  });

  it("pauses behind work that took long", async () => {
    const turns = new FairLargeWorkScheduler();
    const started: string[] = [];
    turns.run("a", () => {
      const end = performance.now() + 50;
      while (performance.now() < end) started.push("");
      started.length = 0;
    });
    turns.run("a", () => void started.push("second"));
    let immediates = 0;
    await until(() => {
      immediates += 1;
      return started.length > 0;
    });
    expect(immediates).toBeGreaterThan(10);
  });
});

describe("collectRequestBody", () => {
  it("hands small bodies over at once and large ones when it is their holder's turn", async () => {
    const budget = new RequestBodyMemoryBudget(64);
    const handedOver: string[] = [];
    for (const name of ["large 1", "large 2", "small"]) {
      const body = name === "small" ? Buffer.alloc(100) : largeBody;
      arrive(budget, "a", body, () => void handedOver.push(name));
    }
    expect(handedOver).toEqual(["large 1", "small"]);
    await until(() => handedOver.length === 3);
    expect(handedOver).toEqual(["large 1", "small", "large 2"]);
  });

  it("does not hand over a body that was released while it waited", async () => {
    const budget = new RequestBodyMemoryBudget(64);
    const handedOver: string[] = [];
    arrive(budget, "a", largeBody, () => void handedOver.push("first"));
    arrive(budget, "a", largeBody, () => void handedOver.push("released")).release();
    arrive(budget, "a", largeBody, () => void handedOver.push("last"));
    await until(() => handedOver.includes("last"));
    expect(handedOver).toEqual(["first", "last"]);
    expect(budget.all.bytes).toBe(2 * largeBody.length);
  });
});
