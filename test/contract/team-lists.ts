import { randomBytes } from "node:crypto";
import { insertTeam } from "../support/team-rows.ts";
import type { TestInstance } from "../support/test-instance.ts";

/** A list of at least five rows that is paged through; see `paging.test.ts`. */
interface TeamList {
  readonly path: string;
  readonly token: string;
  readonly remove?: (id: string) => Promise<unknown>;
}

/** The lists of teams by their route. */
export function teamLists(
  causeway: () => TestInstance,
): Readonly<Record<string, () => Promise<TeamList>>> {
  const call: TestInstance["call"] = (...parts) => causeway().call(...parts);
  const ownTeam = async () => {
    const { id: userId, session: token } = await causeway().createUser();
    const others = await Promise.all(Array.from({ length: 4 }, () => causeway().createUser()));
    const team = await insertTeam(causeway().connectionString, [
      { userId, role: "owner" },
      ...others.map(({ id }) => ({ userId: id, role: "member" as const })),
    ]);
    return { path: `/v1/teams/${team}`, token };
  };
  return {
    "/v1/teams": async () => {
      const { session: token } = await causeway().createUser();
      for (const name of ["a", "b", "c", "d", "e"]) {
        await call("POST", "/v1/teams", { token, body: { name } });
      }
      return {
        path: "/v1/teams",
        token,
        remove: (id) => call("DELETE", `/v1/teams/${id}`, { token }),
      };
    },
    "/v1/teams/{team_id}/members": async () => {
      const { path, token } = await ownTeam();
      const members = `${path}/members`;
      return {
        path: members,
        token,
        remove: (id) => call("DELETE", `${members}/${id}`, { token }),
      };
    },
    "/v1/teams/{team_id}/invites": async () => {
      const { path, token } = await ownTeam();
      const invites = `${path}/invites`;
      for (let count = 0; count < 5; count++) {
        const email = `${randomBytes(6).toString("hex")}@example.org`;
        await call("POST", invites, { token, body: { email } });
      }
      return {
        path: invites,
        token,
        remove: (id) => call("DELETE", `${invites}/${id}`, { token }),
      };
    },
    "/v1/teams/{team_id}/audit": async () => {
      const { path, token } = await ownTeam();
      for (const name of ["a", "b", "c", "d", "e"]) {
        await call("PATCH", path, { token, body: { name } });
      }
      return { path: `${path}/audit`, token };
    },
  };
}
