import { getActiveResourcesInfo } from "node:process";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { withTimeoutFallback } from "../../src/platform/with-timeout.ts";

const never = new Promise<never>(() => {});
const timers = () => getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

it("is the promise's value or failure, and leaves no timer", async () => {
  const before = timers();
  expect(await withTimeoutFallback(Promise.resolve("value"), 60_000, "late")).toBe("value");
  await expect(
    withTimeoutFallback(Promise.reject(new Error("no")), 60_000, "late"),
  ).rejects.toThrow("no");
  expect(timers()).toBe(before);
});

it("is the other value where the promise takes longer", async () => {
  expect(await withTimeoutFallback(never, 1, "late")).toBe("late");
});

it("leaves a failure that comes too late to nobody", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  expect(await withTimeoutFallback(promise, 1, "late")).toBe("late");
  // Heard by nobody, it would end the run.
  reject(new Error("nobody hears this"));
  await setImmediate();
});
