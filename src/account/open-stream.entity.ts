import { defineEntity, p } from "@mikro-orm/postgresql";

/** One stream that some process keeps open for a credential. */
export const OpenStreamEntity = defineEntity({
  name: "OpenStream",
  tableName: "open_streams",
  properties: {
    id: p.text().primary(),
    /** Caller key or session. */
    credentialId: p.text(),
    /** Full name of the method, `causeway.alias.v1.AliasService/WatchAliases`. */
    procedure: p.text(),
    /** By the clock of the database; put off while the stream is open. */
    leaseUntil: p.datetime(3),
  },
  indexes: [
    { name: "open_streams_credential_id_index", properties: ["credentialId", "procedure"] },
    { name: "open_streams_lease_until_index", properties: ["leaseUntil"] },
  ],
});
