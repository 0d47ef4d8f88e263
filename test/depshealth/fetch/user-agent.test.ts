import { expect, it } from "vitest";
import { buildDataSourceUserAgent } from "../../../src/depshealth/fetch/user-agent.ts";

it.each([
  ["https://tools.example.org", undefined, "+https://tools.example.org"],
  ["https://tools.example.org", "a@example.org", "+https://tools.example.org"],
  [undefined, "Causeway (ours) <no-reply@example.org>", "+mailto:no-reply@example.org"],
  [undefined, "Ünser\r\nX: y <ops@example.org>", "+mailto:ops@example.org"],
  [undefined, undefined, "+mailto:owner@localhost"],
])("names product and contact: %s, %s", (publicUrl, mailFrom, contact) => {
  expect(buildDataSourceUserAgent({ version: "1.2.3", publicUrl, mailFrom })).toBe(
    `causeway/1.2.3 (dependency health; ${contact})`,
  );
});
