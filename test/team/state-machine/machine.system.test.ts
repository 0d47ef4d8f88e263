import { describe, it } from "vitest";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { expectNoDifference } from "./compare.ts";

const accounts = useAccountFixture();

describe("teams", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    "[invite.accept] behave like the model in 100 random stories with seed %i",
    { timeout: 240_000 },
    async (seed) => {
      await expectNoDifference(accounts, { runs: 100, seed });
    },
  );
});
