import { randomBytes } from "node:crypto";
import type { EntityManager } from "@mikro-orm/postgresql";
import { pino } from "pino";
import { afterAll, beforeAll } from "vitest";
import type { AuditActor } from "../../src/domain/audit/audit.ts";
import {
  AuditLogEventEntity,
  type AuditLogEvent,
} from "../../src/domain/audit/audit-event.entity.ts";
import type { TeamMembershipLookup, TeamRank } from "../../src/account/team-membership.ts";
import { emptyTeamMembershipLookup } from "../../src/account/team-membership.ts";
import { TokenHasher } from "../../src/account/token-hasher.ts";
import type { User } from "../../src/account/user.entity.ts";
import { createUser } from "../../src/account/users.ts";
import { databaseEntities } from "../../src/app/entities.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { SecretBox } from "../../src/platform/crypto/secret-box.ts";
import { openMigratedDatabase, type Database } from "../../src/platform/database/database.ts";
import type { Principal } from "../../src/platform/principal.ts";
import { createTestDatabase, type TestDatabase } from "../support/test-database.ts";

export const silentLog = pino({ level: "silent" });

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;

  constructor(now = Date.parse("2026-11-20T12:00:00.000Z")) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** What the tests of this domain share: a migrated database of the file's own, and time. */
export class AccountFixture {
  readonly clock = new ManualClock();
  readonly box = new SecretBox([randomBytes(32)]);
  readonly hasher = new TokenHasher(randomBytes(32));
  /** Statements since the test set it to an empty list. */
  statements: string[] = [];
  #testDatabase: TestDatabase | undefined;
  #database: Database | undefined;
  #users = 0;

  get database(): Database {
    if (this.#database === undefined) throw new Error("the database opens in beforeAll");
    return this.#database;
  }

  get connectionString(): string {
    return this.database.connectionString;
  }

  readonly fork = (): EntityManager => this.database.fork();

  async open(): Promise<void> {
    this.#testDatabase = await createTestDatabase();
    this.#database = await openMigratedDatabase({
      connectionString: this.#testDatabase.connectionString,
      entities: databaseEntities,
      log: silentLog,
      statementObserver: (sql) => this.statements.push(sql),
    });
  }

  async close(): Promise<void> {
    await this.#database?.close();
    await this.#testDatabase?.drop();
  }

  actor(principal: Principal = { kind: "operator" }): AuditActor {
    return {
      principal,
      address: "192.0.2.7",
      requestId: "req_test",
      at: new Date(this.clock.now()),
    };
  }

  /** A session of the user, as the interceptors would leave it. */
  sessionActor(userId: string, sessionId = "session_test"): AuditActor {
    return this.actor({ kind: "session", sessionId, accountId: userId, userId });
  }

  /** A user with an address of its own. */
  user(): Promise<User> {
    this.#users += 1;
    const email = `user-${this.#users.toString()}@example.org`;
    return createUser(this.fork(), this.actor(), { email });
  }

  /** The events of an account, oldest first. */
  events(accountId: string): Promise<AuditLogEvent[]> {
    return this.fork().find(
      AuditLogEventEntity,
      { accountId },
      { orderBy: { at: "asc", id: "asc" } },
    );
  }
}

/** Opens a fixture for the tests of a file. */
export function useAccountFixture(): AccountFixture {
  const fixture = new AccountFixture();
  beforeAll(() => fixture.open());
  afterAll(() => fixture.close());
  return fixture;
}

/** Teams of a test: rank by team and user. */
export function teamsWith(
  ranks: Readonly<Record<string, Record<string, TeamRank>>>,
): TeamMembershipLookup {
  const rankOf: TeamMembershipLookup["rankOf"] = (_em, teamId, userId) =>
    Promise.resolve(ranks[teamId]?.[userId]);
  return {
    ...emptyTeamMembershipLookup,
    rankOf,
    lockedRankOf: rankOf,
    teamsManagedBy: (_em, userId) =>
      Promise.resolve(
        Object.keys(ranks).filter((teamId) => {
          const rank = ranks[teamId]?.[userId];
          return rank === "owner" || rank === "admin";
        }),
      ),
  };
}
