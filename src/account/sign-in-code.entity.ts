import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/**
 * A request to sign in. It is written for every address, so that known and
 * unknown ones count and answer alike; only an address that may sign in gets a
 * code.
 */
export const SignInCodeEntity = defineEntity({
  name: "SignInCode",
  tableName: "sign_in_codes",
  properties: {
    id: p.text().primary(),
    emailNormalised: p.text(),
    /** Network address of the caller, for the rate limit. */
    address: p.text(),
    /** HMAC-SHA-256 of row and digits, base64url; null: no code was sent. */
    codeHash: p.text().strictNullable(),
    /** The same of the link's code; also null where the link held the digits, before it had its own. */
    linkHash: p.text().strictNullable(),
    /** How often the digits were tried; links are not counted. */
    tries: p.integer(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: "sign_in_codes_email_index", properties: ["emailNormalised", "createdAt"] },
    { name: "sign_in_codes_address_index", properties: ["address", "createdAt"] },
    { name: "sign_in_codes_created_at_index", properties: ["createdAt"] },
  ],
});

export type SignInCode = InferEntity<typeof SignInCodeEntity>;
