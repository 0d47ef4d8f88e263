import type { MigrationObject } from "@mikro-orm/postgresql";
import { ChangeNotification } from "./0001-change-notification.ts";
import { Accounts } from "./0002-accounts.ts";
import { Endpoints } from "./0003-endpoints.ts";
import { Teams } from "./0004-teams.ts";
import { Items } from "./0005-items.ts";
import { Ledger } from "./0010-ledger.ts";
import { LoginRenewal } from "./0021-login-renewal.ts";
import { Aliases } from "./0009-aliases.ts";
import { KeptResponses } from "./0008-kept-responses.ts";
import { DependencyCache } from "./0006-dependency-cache.ts";
import { TaskContexts } from "./0007-task-contexts.ts";

/**
 * Every migration, oldest first. A released one is never changed or renamed:
 * a database remembers it by this name.
 */
export const migrations: readonly MigrationObject[] = [
  { name: "0001-change-notification", class: ChangeNotification },
  { name: "0002-accounts", class: Accounts },
  { name: "0003-endpoints", class: Endpoints },
  { name: "0004-teams", class: Teams },
  { name: "0005-items", class: Items },
  { name: "0006-dependency-cache", class: DependencyCache },
  { name: "0007-task-contexts", class: TaskContexts },
  { name: "0008-kept-responses", class: KeptResponses },
  { name: "0009-aliases", class: Aliases },
  { name: "0010-ledger", class: Ledger },
  { name: "0021-login-renewal", class: LoginRenewal },
];
