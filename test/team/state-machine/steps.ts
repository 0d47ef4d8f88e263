import fc, { type Arbitrary } from "fast-check";
import type { Caller, Role, Step } from "./model.ts";

/** People of a run; each has an address. */
export const peopleCount = 4;

const person = fc.nat({ max: peopleCount - 1 });
const role: Arbitrary<Role> = fc.constantFrom("owner", "admin", "editor", "member");
const lowRole: Arbitrary<Role> = fc.constantFrom("admin", "editor", "member");

/** Mostly the first team, seldom another, which may not be there. */
const team = fc.oneof(
  { weight: 9, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1, 2) },
);

/** How many codes were issued since; mostly a young one. */
const code = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: 3 }) },
  { weight: 1, arbitrary: fc.nat({ max: 9 }) },
);

/** Mostly the first person, who begins as the owner. */
const caller: Arbitrary<Caller> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ person: 0, asKeyOf: undefined }) },
  { weight: 5, arbitrary: fc.record({ person, asKeyOf: fc.constant(undefined) }) },
  { weight: 2, arbitrary: fc.record({ person, asKeyOf: team }) },
);

const kind = <Kind extends string>(name: Kind) => fc.constant(name);

/** What may happen next, likely things more often. */
const step: Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: kind("create"), by: caller }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("invite"), by: caller, team, person, role }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("resend"), by: caller, team, code }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("revoke"), by: caller, team, code }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("accept"), by: caller, code }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("role"), by: caller, team, person, role }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("groups"), by: caller, team, person }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("remove"), by: caller, team, person }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("confirm"), by: caller, team, person }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("manual"), by: caller, team, on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("delete"), by: caller, team }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("promote"), team, person }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("disable"), person }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("enable"), person }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("wait"), days: fc.constantFrom(1, 7, 8) }) },
);

/** Somebody is invited and accepts, often the right one. */
const joining: Arbitrary<Step[]> = fc
  .record({ by: caller, team, person, role: lowRole, late: fc.boolean() })
  .map(({ by, team, person, role, late }) => [
    { kind: "invite", by, team, person, role },
    ...(late ? [{ kind: "wait", days: 6 } as const] : []),
    { kind: "accept", by: { person, asKeyOf: undefined }, code: 0 },
  ]);

/** Somebody is invited, the invite is sent again or revoked, and one of its codes is tried. */
const reconsidering: Arbitrary<Step[]> = fc
  .record({
    by: caller,
    team,
    person,
    role: lowRole,
    kind: fc.constantFrom("resend" as const, "revoke" as const),
    tried: fc.nat({ max: 1 }),
  })
  .map(({ by, team, person, role, kind, tried }) => [
    { kind: "invite", by, team, person, role },
    { kind, by, team, code: 0 },
    { kind: "accept", by: { person, asKeyOf: undefined }, code: tried },
  ]);

/** Somebody gets groups, leaves, and is invited again. */
const returning: Arbitrary<Step[]> = fc
  .record({ by: caller, person, role: lowRole })
  .map(({ by, person, role }) => [
    { kind: "groups", by, team: 0, person },
    { kind: "remove", by: { person, asKeyOf: undefined }, team: 0, person },
    { kind: "invite", by, team: 0, person, role },
    { kind: "accept", by: { person, asKeyOf: undefined }, code: 0 },
  ]);

/** A life of teams: one that the first person made and two others may have joined, then anything. */
export const story: Arbitrary<Step[]> = fc
  .tuple(
    fc.array(lowRole, { maxLength: 2 }),
    fc.boolean(),
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: step.map((only) => [only]) },
        { weight: 1, arbitrary: joining },
        { weight: 2, arbitrary: reconsidering },
        { weight: 1, arbitrary: returning },
      ),
      { minLength: 2, maxLength: 8, size: "max" },
    ),
  )
  .map(([roles, manual, phrases]) => [...beginning(roles, manual), ...phrases.flat()]);

function beginning(roles: readonly Role[], manual: boolean): Step[] {
  const founder: Caller = { person: 0, asKeyOf: undefined };
  const joined = roles.flatMap((role, index): Step[] => [
    { kind: "invite", by: founder, team: 0, person: index + 1, role },
    { kind: "accept", by: { person: index + 1, asKeyOf: undefined }, code: 0 },
  ]);
  const confirming: Step[] = manual ? [{ kind: "manual", by: founder, team: 0, on: true }] : [];
  return [{ kind: "create", by: founder }, ...confirming, ...joined];
}
