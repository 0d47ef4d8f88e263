import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  BudgetWindowSchema,
  type KeyBudgetSchema,
  KeyModeSchema,
  KeyRouteSchema,
  KeySchema,
  KeyWithSecretSchema,
  type Key,
  type KeyWithSecret as KeyWithSecretMessage,
} from "../../gen/ts/causeway/account/v1/key_pb.ts";
import { ScopeSchema } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { CallerKeyRow } from "./caller-key.entity.ts";
import type { CallerKeyWithSecret } from "./create-key.ts";
import { nanoDigitsToUsd } from "../domain/money.ts";
import { dateToOptionalTimestamp } from "./timestamp.view.ts";

/** A caller key as every answer shows it, without its secret; `spentNano` in the budget's present window. */
export function viewKey(key: CallerKeyRow, spentNano = "0"): Key {
  return create(KeySchema, {
    id: key.id,
    object: "key",
    name: key.name,
    prefix: key.prefix,
    owner:
      key.teamId === null
        ? { case: "userId", value: key.user.id }
        : { case: "teamId", value: key.teamId },
    scopes: key.scopes.map((scope) => enumNameToNumber(ScopeSchema, scope)),
    route: enumNameToNumber(KeyRouteSchema, key.route),
    mode: enumNameToNumber(KeyModeSchema, key.mode),
    allowedModels: key.allowedModels,
    budget: budgetView(key, spentNano),
    rateLimit: key.rateLimit ?? undefined,
    tags: { ...key.tags },
    expiresAt: dateToOptionalTimestamp(key.expiresAt),
    lastUsedAt: dateToOptionalTimestamp(key.lastUsedAt),
    createdAt: timestampFromDate(key.createdAt),
    revokedAt: dateToOptionalTimestamp(key.revokedAt),
  });
}

/** A new key with its secret, which no other answer shows. */
export function viewKeyWithSecret({ key, secret }: CallerKeyWithSecret): KeyWithSecretMessage {
  return create(KeyWithSecretSchema, { key: viewKey(key), secret });
}

function budgetView(
  { budget }: CallerKeyRow,
  spentNano: string,
): MessageInitShape<typeof KeyBudgetSchema> | undefined {
  if (budget === null) return undefined;
  return {
    limitUsd: nanoDigitsToUsd(budget.limitNanoUsd),
    window: enumNameToNumber(BudgetWindowSchema, budget.window),
    spentUsd: nanoDigitsToUsd(spentNano),
  };
}
