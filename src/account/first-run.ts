import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import { callerKeyScopes } from "../platform/principal.ts";
import { createServerAuditLogActor } from "../domain/audit/audit.ts";
import { parseEmailAddress } from "./email-address.ts";
import { insertCallerKey } from "./create-key.ts";
import type { TokenHasher } from "./token-hasher.ts";
import { UserEntity } from "./user.entity.ts";
import { insertUser } from "./users.ts";

const ownerEmail = "owner@localhost";

/** What the first start made, for the line that is printed once. */
export interface GeneratedOwnerCredentials {
  readonly email: string;
  /** The caller key, which holds every scope. */
  readonly key: string;
  /** Where the key was written, mode 0600. */
  readonly file: string;
}

/**
 * On a database without any user, makes `owner@localhost` with one key of every
 * scope and writes the key to `<data directory>/first-key`; undefined when there
 * is a user, deleted ones included. Of two processes that start at once, one
 * does it. Only for the embedded server: never call it with `DATABASE_URL`.
 */
export function createInitialOwner(
  em: EntityManager,
  options: {
    readonly dataDirectory: string;
    readonly hasher: TokenHasher;
    readonly clock: Clock;
  },
): Promise<GeneratedOwnerCredentials | undefined> {
  return em.transactional(async (tx) => {
    await tx.execute("select pg_advisory_xact_lock(hashtextextended('causeway first start', 0))");
    if ((await tx.count(UserEntity)) > 0) return undefined;
    const actor = createServerAuditLogActor(options.clock);
    const user = insertUser(tx, actor, parseEmailAddress(ownerEmail), null);
    const settings = { name: "first key", scopes: [...callerKeyScopes] };
    const { secret } = insertCallerKey(tx, actor, { userId: user.id }, settings, options.hasher);
    await tx.flush();
    // Before the commit: a crash in between leaves a dead key in the file, and the next start a new one.
    const file = join(options.dataDirectory, "first-key");
    await writeSecretFile(file, secret);
    return { email: ownerEmail, key: secret, file };
  });
}

async function writeSecretFile(file: string, secret: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  // A file that exists would keep its own mode.
  await writeFile(temporary, `${secret}\n`, { mode: 0o600, flag: "wx" });
  await rename(temporary, file);
}
