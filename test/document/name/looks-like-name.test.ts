import { describe, expect, it } from "vitest";
import {
  isLearnableHeaderName,
  isLearnablePropertyName,
  isLearnableQueryName,
} from "../../../src/document/name/field-name.ts";

/** As public interfaces have them. */
const names =
  "id url html_url created_at createdAt firstName is_admin iban bic vat_id oauth2Token address_line1 addressLine2 sha256 md5 " +
  "ipv4Address x509Certificate base64 utf8 i18n s3Bucket ec2_instance_type VPCId HTTPStatusCode APIKeyId HTMLUrl " +
  "expires_in hasMore nextPageToken latitude lng etag _links $ref @type x_forwarded_for timezone jpeg webp zlib fuzzing azure " +
  "default_payment_method subscription_proration_behavior num_of_employees two_factor_authentication mobile_phone_number " +
  "isPrimary iso6391Code questions? DisplayName xmlns schema:name og:title page.number total_pages_count zip zone squad quantity require jobs object";

const values =
  "x7Kq2mPz9 9f8c1e77ab03 4111111111111111 2026 user_8812 q7Xk29Zr81Tb ada@example.org AKIAIOSFODNN7EXAMPLE use_ADWLndaZSCtBQtrt api_mHfgJabzQuidmZih id_FnSWDp7ZYzdDwDhe api_EuQepRCHXTTWjcFw ser_KBRsavCoyRcDte6b use_4nMmkZHnphrfAquA api_oaeDUYJS68junNsv cus_NffrFeUfNV2Hib " +
  "ghp16C7e42F292c6912E7710c838347Ae178B4a sk_live_4eC39HqLyjWDarjtT1zdp7dc zxqkvbnmwrtp wqxzjvkb 550e8400-e29b-41d4-a716-446655440000 " +
  "dQw4w9WgXcQ anna ada.anna john_smith 192.168.0.1 +4930555 A1B2C3 7f3a true1false2 eyJhbGciOiJub25lIn0";

describe("names", () => {
  it.each(names.split(" "))("%s is one", (name) => {
    expect(isLearnablePropertyName(name)).toBe(true);
  });

  it.each([...values.split(" "), "Ada Lovelace", "", "__proto__", "a".repeat(41), "名前", "a b"])(
    "[learned.no-identities] takes %j for no name",
    (value) => {
      const judged = [
        isLearnablePropertyName(value),
        isLearnableQueryName(value),
        isLearnableHeaderName(value),
      ];
      expect(judged).toEqual([false, false, false]);
    },
  );

  it("of query parameters may have brackets", () => {
    for (const name of ["filter[name]", "ids[]", "page[size]", "sort", "expand[data][owner]"])
      expect(isLearnableQueryName(name)).toBe(true);
    expect(isLearnableQueryName("filter[4111111111111111]")).toBe(false);
  });

  it("of headers are in lower case", () => {
    for (const name of ["authorization", "x-api-key", "x-tenant-id", "idempotency-key", "if-match"])
      expect(isLearnableHeaderName(name)).toBe(true);
    expect(isLearnableHeaderName("x-9f8c1e77ab03")).toBe(false);
  });
});
