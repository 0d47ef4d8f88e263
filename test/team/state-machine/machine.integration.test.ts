import { describe, it } from "vitest";
import { useAccountFixture } from "../../account/account-fixture.ts";
import { expectNoDifference } from "./compare.ts";

const accounts = useAccountFixture();

describe("teams", () => {
  it(
    "[invite.accept] behave like the model in 12 random stories",
    { timeout: 120_000 },
    async () => {
      await expectNoDifference(accounts, { runs: 12, seed: 11 });
    },
  );
});
