import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";
import { protocols } from "./generators/all-protocols.ts";
import { FuzzRun } from "./run/fuzz-run.ts";
import { startFuzzEnvironment, type FuzzEnvironment } from "./run/fuzz-environment.ts";
import { findingOf, settledFault } from "./run/report.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let database: TestDatabase;
let surroundings: FuzzEnvironment;
beforeAll(async () => {
  database = await createTestDatabase();
  surroundings = await startFuzzEnvironment({ databaseUrl: database.connectionString });
});
afterAll(async () => {
  await surroundings.end();
  await database.drop();
});

it("stands two thousand hostile requests over all protocols", async () => {
  const plan = {
    seed: 6,
    requests: 2100,
    protocols,
    concurrency: 24,
    mostKills: 3,
    say: () => undefined,
  };
  const report = await new FuzzRun(plan, surroundings.target, surroundings.double).run();
  expect(report.findings.map((finding) => findingOf(finding, plan.seed))).toEqual([]);
  expect(settledFault(report)).toBeUndefined();
  const sent = [...report.tallies.values()].reduce((sum, { cases }) => sum + cases, 0);
  expect(sent).toBe(plan.requests);
});
