import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createInitialOwner } from "../../src/account/first-run.ts";
import { loadKeyBySecretHash } from "../../src/account/resolved-key.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import { deleteUser, findUserByEmail } from "../../src/account/users.ts";
import { callerKeyScopes } from "../../src/platform/principal.ts";
import { useAccountFixture } from "./account-fixture.ts";

const fixture = useAccountFixture();
const { hasher, clock, fork } = fixture;
let dataDirectory = "";
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "causeway-first-"));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

test("[first-start.owner] of processes that start at once one makes the owner, and later starts make nobody", async () => {
  const options = { dataDirectory, hasher, clock };
  const starts = await Promise.all(
    Array.from({ length: 4 }, () => createInitialOwner(fork(), options)),
  );
  const made = starts.filter((owner) => owner !== undefined);
  expect(made).toMatchObject([
    { email: "owner@localhost", file: join(dataDirectory, "first-key") },
  ]);
  expect(await readdir(dataDirectory)).toEqual(["first-key"]);
  const file = join(dataDirectory, "first-key");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const secret = (await readFile(file, "utf8")).trim();
  expect(secret).toBe(made[0]?.key);
  const key = await loadKeyBySecretHash(
    fork(),
    hasher.hash(secret).hash,
    emptyTeamMembershipLookup,
  );
  expect(key).toMatchObject({
    rejection: undefined,
    principal: { scopes: new Set(callerKeyScopes) },
  });
  expect(await createInitialOwner(fork(), options)).toBeUndefined();
  const owner = await findUserByEmail(fork(), "owner@localhost");
  await deleteUser(fork(), fixture.actor(), owner?.id ?? "", { teams: emptyTeamMembershipLookup });
  expect(await createInitialOwner(fork(), options)).toBeUndefined();
});
