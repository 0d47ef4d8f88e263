import { describe, expect, it } from "vitest";
import type { TeamRank } from "../../src/account/team-membership.ts";
import {
  isTeamRankBelow,
  canGrantRank,
  canInviteMember,
  canPoolExtensions,
  canRemoveMember,
  capTeamKeyRank,
  teamRanksHighestFirst,
} from "../../src/team/ranks.ts";

const cells = teamRanksHighestFirst.flatMap((caller) =>
  teamRanksHighestFirst.map((other) => [caller, other] as const),
);

/** By caller, whom it may invite, give that role, and remove. */
const expected: Readonly<Record<TeamRank, Record<"invite" | "change" | "remove", TeamRank[]>>> = {
  owner: {
    invite: ["admin", "editor", "member"],
    change: ["admin", "editor", "member"],
    remove: ["owner", "admin", "editor", "member"],
  },
  admin: {
    invite: ["editor", "member"],
    change: ["editor", "member"],
    remove: ["editor", "member"],
  },
  editor: { invite: [], change: [], remove: [] },
  member: { invite: [], change: [], remove: [] },
};

describe("ranks", () => {
  it.each(cells)("[member.role] [rank.order] %s towards %s", (caller, other) => {
    expect(canInviteMember(caller, other)).toBe(expected[caller].invite.includes(other));
    expect(canGrantRank(caller, other, "member")).toBe(expected[caller].change.includes(other));
    expect(canGrantRank(caller, "member", other)).toBe(expected[caller].change.includes(other));
    expect(canRemoveMember(caller, other)).toBe(expected[caller].remove.includes(other));
  });

  it("is strict: nobody is below itself", () => {
    expect(teamRanksHighestFirst.filter((rank) => isTeamRankBelow(rank, rank))).toEqual([]);
  });

  it("lets everybody pool, or editors and above", () => {
    expect(teamRanksHighestFirst.filter((rank) => canPoolExtensions(rank, "members"))).toEqual([
      ...teamRanksHighestFirst,
    ]);
    expect(
      teamRanksHighestFirst.filter((rank) => canPoolExtensions(rank, "editors")),
    ).not.toContain("member");
    expect(canPoolExtensions("editor", "editors")).toBe(true);
  });

  it("gives a team key its creator's rank, at most admin", () => {
    expect(teamRanksHighestFirst.map(capTeamKeyRank)).toEqual([
      "admin",
      "admin",
      "editor",
      "member",
    ]);
  });
});
