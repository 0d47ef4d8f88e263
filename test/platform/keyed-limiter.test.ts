import { expect, it } from "vitest";
import { KeyedConcurrencyLimiter } from "../../src/platform/keyed-limiter.ts";

it("KeyedLimiter runs two of a key at a time, in their order, and others at once", async () => {
  const limiter = new KeyedConcurrencyLimiter(2);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (key: string, name: string) =>
    limiter.run(key, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  const [first, second, third, fourth] = ["1", "2", "3", "4"].map((name) => run("a", name));
  const other = run("b", "b");
  await Promise.resolve();
  expect(begun).toEqual(["1", "2", "b"]);
  ends.get("2")?.(new Error("no"));
  await expect(second).rejects.toThrow("no");
  await expect.poll(() => begun).toEqual(["1", "2", "b", "3"]);
  for (const name of ["1", "3", "b"]) ends.get(name)?.();
  await expect(Promise.all([first, third, other])).resolves.toEqual(["1", "3", "b"]);
  await expect.poll(() => begun.at(-1)).toBe("4");
  ends.get("4")?.();
  await expect(fourth).resolves.toBe("4");
});

it("KeyedLimiter refuses work of a key of which too many wait, and none of another", async () => {
  const limiter = new KeyedConcurrencyLimiter(1, 2);
  const end = Promise.withResolvers<string>();
  const runs = ["1", "2", "3"].map(() => limiter.run("a", () => end.promise));
  const refused = { code: "rate_limited", retryAfterSeconds: 1 };
  await expect(limiter.run("a", () => end.promise)).rejects.toMatchObject(refused);
  const other = limiter.run("b", () => end.promise);
  end.resolve("done");
  await expect(Promise.all([...runs, other])).resolves.toEqual(["done", "done", "done", "done"]);
  await expect(limiter.run("a", () => end.promise)).resolves.toBe("done");
});
