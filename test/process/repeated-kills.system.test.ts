import { expect, it, vi } from "vitest";
import { runKills } from "../soak/run-kills.ts";

vi.setConfig({ testTimeout: 120_000 });

it("[money.call-id] keeps its books when it is killed under load and started again, five times", async () => {
  const options = { kills: 5, callers: 16, seed: 20_261, callsOfLife: 80 };
  expect(await runKills({ ...options, say: () => undefined })).toEqual([]);
});
