import fc from "fast-check";
import { expect } from "vitest";
import type { AccountFixture } from "../../account/account-fixture.ts";
import { Model, type Step } from "./model.ts";
import { RealTeams } from "./real-teams.ts";
import { story } from "./steps.ts";

/** Runs stories against the model and the real thing; a difference fails with the shortest story. */
export async function expectNoDifference(
  accounts: AccountFixture,
  options: { readonly runs: number; readonly seed: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(story, (steps) => tell(accounts, steps)),
    { numRuns: options.runs, seed: options.seed, endOnFailure: false },
  );
}

async function tell(accounts: AccountFixture, steps: readonly Step[]): Promise<void> {
  const model = new Model();
  const real = await RealTeams.open(accounts);
  for (const [index, step] of steps.entries()) {
    // Who is disabled has neither a session nor a key that works.
    if ("by" in step && model.disabled.has(step.by.person)) continue;
    const outcome = model.take(step);
    expect({ index, step, outcome: await real.take(step) }).toEqual({ index, step, outcome });
  }
  for (const index of model.teams.keys()) {
    const expected = model.stateOf(index);
    const count = expected.members.length;
    expect({ index, ...(await real.stateOf(index)) }).toEqual({ index, ...expected, count });
  }
}
