import { defineEntity, p } from "@mikro-orm/postgresql";

/** A secret of the installation itself, sealed: the pepper, and the canary of the start-up check. */
export const SealedSettingEntity = defineEntity({
  name: "SealedSetting",
  tableName: "sealed_settings",
  properties: {
    name: p.text().primary(),
    value: p.text(),
    createdAt: p.datetime(3),
  },
});
