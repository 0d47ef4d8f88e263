import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InProcessTurnNotifier } from "../../src/turn/turn-notifier.ts";
import { TurnEventWriter } from "../../src/turn/turn-writer.ts";
import { TurnLeaseLostError } from "../../src/turn/turn-lease-lost-error.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const claim = { taskId: "task", runId: "run", attempt: 1, turnId: "turn_1", bytes: 0 };

/** A batch as it was kept: numbers of its first and last frame, and the frames. */
type Kept = readonly [first: number, last: number, frames: readonly string[]];

/** A writer whose batches are kept when a test says so. */
function writerWith(first = 0) {
  const kept: Kept[] = [];
  const waiting: { keep(): void; fail(error: Error): void }[] = [];
  const faults: unknown[] = [];
  const append = (_claim: object, from: number, last: number, sealed: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const keep = (): void => {
      kept.push([from, last, JSON.parse(sealed) as string[]]);
      resolve();
    };
    waiting.push({ keep, fail: reject });
    return promise;
  };
  const sealFrames = async (_id: string, _first: number, frames: readonly string[]) =>
    JSON.stringify(frames);
  const writer = new TurnEventWriter(
    { queue: { append }, store: { sealFrames }, notifier: new InProcessTurnNotifier() },
    claim,
    first,
    (error) => faults.push(error),
    { seconds: 3 },
  );
  /** Keeps what waits as the end of a step does, with what else that writes. */
  const step = (): Promise<void> =>
    writer.flushWith(async ({ first: from, frames }) => {
      if (frames.length > 0)
        await append(claim, from, from + frames.length - 1, JSON.stringify(frames));
    });
  return { writer, kept, waiting, faults, step };
}

type Ground = ReturnType<typeof writerWith>;

/** Frames so long that they must not wait, the first word, and what comes behind it. */
const someFrame = fc.constantFrom(".delta", ".added", `.delta ${"x".repeat(40_000)}`);

const someAction = fc.oneof(
  fc.record({ type: fc.constant("push"), frames: fc.array(someFrame, { maxLength: 3 }) }),
  fc.record({ type: fc.constantFrom("keep", "tick", "wait", "step") }),
);

type Action = { readonly type: string; readonly frames?: readonly string[] };

/** Does what the actions say; the frames that were pushed, each told apart by its number. */
async function play(
  { writer, waiting, step }: Ground,
  actions: readonly Action[],
): Promise<string[]> {
  const pushed: string[] = [];
  for (const { type, frames = [] } of actions) {
    const numbered = frames.map((frame, at) => `${pushed.length + at}${frame}`);
    pushed.push(...numbered);
    if (type === "push") void writer.push(numbered);
    else if (type === "step") void step();
    else if (type === "keep") waiting.shift()?.keep();
    else if (type === "tick") await Promise.resolve();
    else await vi.advanceTimersByTimeAsync(100);
  }
  return pushed;
}

/** Keeps what there is to keep, until nothing comes for longer than a batch may wait. */
async function keepAll({ waiting }: Pick<Ground, "waiting">): Promise<void> {
  for (;;) {
    await vi.advanceTimersByTimeAsync(250);
    if (waiting.length === 0) return;
    while (waiting.length > 0) waiting.shift()?.keep();
  }
}

function expectInOrder(kept: readonly Kept[], pushed: readonly string[], first: number): void {
  expect(kept.flatMap(([, , frames]) => frames)).toEqual(pushed);
  let next = first;
  for (const [from, last, frames] of kept) {
    expect([from, last]).toEqual([next, next + frames.length - 1]);
    expect(frames).not.toHaveLength(0);
    next = last + 1;
  }
}

describe("TurnWriter", () => {
  it("[turns.batches] keeps every frame once, in order, a quarter of a second after it came at the latest", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someAction, { maxLength: 30 }),
        fc.nat(5),
        async (actions, first) => {
          const ground = writerWith(first);
          const pushed = await play(ground, actions);
          await keepAll(ground);
          expectInOrder(ground.kept, pushed, first);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("leaves to whoever ends the turn what it has not kept, and writes nothing more", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someAction, { maxLength: 30 }), async (actions) => {
        const ground = writerWith();
        const pushed = await play(ground, actions);
        const taking = ground.writer.take();
        await keepAll(ground);
        const { first, frames } = await taking;
        const last: Kept[] =
          frames.length === 0 ? [] : [[first, first + frames.length - 1, frames]];
        expectInOrder([...ground.kept, ...last], pushed, 0);
        await vi.advanceTimersByTimeAsync(1000);
        expect(ground.waiting).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("keeps nothing more when the end of a step cannot be kept, and says so to whoever ends it", async () => {
    const { writer, kept, waiting, step } = writerWith();
    void writer.push(["0.added"]);
    const ending = step();
    await vi.advanceTimersByTimeAsync(0);
    waiting.shift()?.fail(new Error("a fault of ours"));
    await expect(ending).rejects.toThrow("a fault of ours");
    void writer.push(["1.delta"]);
    await step();
    await vi.advanceTimersByTimeAsync(1000);
    expect([kept, waiting]).toEqual([[], []]);
  });

  it("[turns.batches] keeps at once what comes before and with the first word, and gathers what follows", async () => {
    const { writer, kept, waiting } = writerWith();
    for (const frame of ["0.added", "1.delta"]) {
      void writer.push([frame]);
      await vi.advanceTimersByTimeAsync(0);
      waiting.shift()?.keep();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(kept).toHaveLength(2);
    void writer.push(["2.delta"]);
    void writer.push(["3.delta"]);
    await vi.advanceTimersByTimeAsync(249);
    expect(waiting).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    waiting.shift()?.keep();
    expect(kept.at(-1)).toEqual([2, 3, ["2.delta", "3.delta"]]);
  });

  it("stores more frames at once than a function takes arguments", async () => {
    const { writer, kept, waiting } = writerWith();
    const frames = Array.from({ length: 200_000 }, (_, index) => `${index}.added`);
    void writer.push(frames);
    await keepAll({ waiting });
    expectInOrder(kept, frames, 0);
    expect(kept.length).toBeGreaterThan(1);
  });

  it("stores large frames one by one, of one writer at a time", async () => {
    const large = "x".repeat(1024 * 1024);
    const [one, other] = [writerWith(), writerWith()];
    const frames = [`0${large}`, `1${large}`, "2.done"];
    for (const { writer } of [one, other]) void writer.push(frames);
    await vi.advanceTimersByTimeAsync(250);
    expect([one.waiting.length, other.waiting.length]).toEqual([1, 0]);
    for (let round = 0; round < 10; round++) {
      for (const { waiting } of [one, other]) waiting.shift()?.keep();
      await vi.advanceTimersByTimeAsync(250);
    }
    for (const { kept } of [one, other]) {
      expectInOrder(kept, frames, 0);
      expect(kept.map(([first, last]) => [first, last])).toEqual([
        [0, 0],
        [1, 1],
        [2, 2],
      ]);
    }
  });

  it("says once that the turn is another's, and takes nothing more", async () => {
    const ground = writerWith();
    void ground.writer.push(["0.added"]);
    await vi.advanceTimersByTimeAsync(0);
    const lost = new TurnLeaseLostError("run");
    ground.waiting.shift()?.fail(lost);
    await vi.advanceTimersByTimeAsync(0);
    void ground.writer.push(["1.delta"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ground.faults).toEqual([lost]);
    expect([ground.kept, ground.waiting]).toEqual([[], []]);
  });
});
