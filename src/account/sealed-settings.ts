import type { EntityManager } from "@mikro-orm/postgresql";
import type { Clock } from "../platform/clock.ts";
import {
  SealError,
  type SealedValueBinding,
  type SecretBox,
} from "../platform/crypto/secret-box.ts";
import { ConfigurationError } from "../platform/configuration/configuration-error.ts";
import { SealedSettingEntity } from "./sealed-setting.entity.ts";

/**
 * Reads a secret of the installation, and makes it when it is missing. Of
 * several processes that make it at the same time, one wins and all get its
 * value.
 */
export async function readOrCreateSealedSetting(
  em: EntityManager,
  box: SecretBox,
  name: string,
  create: () => string,
  clock: Clock,
): Promise<string> {
  const existing = await readSetting(em, box, name);
  if (existing !== undefined) return existing;
  const value = box.seal(create(), bindingOf(name));
  await em
    .createQueryBuilder(SealedSettingEntity)
    .insert({ name, value, createdAt: new Date(clock.now()) })
    .onConflict("name")
    .ignore()
    .execute();
  return (await readSetting(em, box, name)) ?? "";
}

/**
 * Opens a value that was sealed when the database was new. Throws a
 * `ConfigurationError` when the master key does not fit the database, so that
 * the server does not start rather than fail at every stored credential.
 */
export async function checkMasterKey(
  em: EntityManager,
  box: SecretBox,
  clock: Clock,
): Promise<void> {
  try {
    await readOrCreateSealedSetting(em, box, "canary", () => "causeway", clock);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new ConfigurationError(
      "CAUSEWAY_SECRET_KEY",
      "does not open this database, which was sealed under another key; put that key into the list",
    );
  }
}

async function readSetting(
  em: EntityManager,
  box: SecretBox,
  name: string,
): Promise<string | undefined> {
  const setting = await em.findOne(SealedSettingEntity, { name }, { disableIdentityMap: true });
  return setting === null ? undefined : box.open(setting.value, bindingOf(name));
}

function bindingOf(name: string): SealedValueBinding {
  return { table: "sealed_settings", row: name, column: "value" };
}
