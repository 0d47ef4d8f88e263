import { tested, type Requirement } from "./requirement.ts";

/** While PostgreSQL is away. */
export const databaseAway: readonly Requirement[] = tested([
  [
    "away.cached",
    "While PostgreSQL is away cached keys keep working for at most 15 minutes.",
    "process/database-away > serves what does not, and recovers by itself",
    "account/key-directory > a cached key works on for fifteen minutes (%s)",
  ],
  [
    "away.refused",
    "While PostgreSQL is away unknown keys and management are 503, never 401.",
    "process/database-away > refuses what needs it in time",
    "account/key-directory > an unknown key is 503, never unknown",
  ],
  [
    "away.recovers",
    "A process goes on by itself when PostgreSQL is back.",
    "process/database-away > and recovers by itself",
  ],
  [
    "away.revoked",
    "A revoked key is refused by every process within a second.",
    "process/revocation > refuses a revoked key in every process within a second",
  ],
  [
    "away.reserve",
    "While PostgreSQL is away calls that must reserve are 503.",
    "process/database-away-paid > calls that must reserve are 503 and reach no upstream",
  ],
]);
