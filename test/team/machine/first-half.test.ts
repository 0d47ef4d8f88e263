/** Invites and memberships against a small model: 1000 stories, in two files that run side by side. */
import { describe, it } from "vitest";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { expectNoDifference } from "./compare.ts";

const accounts = useAccountFixture();

describe("teams", () => {
  it.each([1, 2, 3, 4, 5])(
    "[invite.accept] differ from the model in none of a hundred stories (%i of 10)",
    { timeout: 240_000 },
    async (seed) => {
      await expectNoDifference(accounts, { runs: 100, seed });
    },
  );
});
