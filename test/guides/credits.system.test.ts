/** docs/credits.md, with a vendor on this machine. */
import { expect, it, vi } from "vitest";
import { openReaderWithVendor } from "./reader-with-vendor.ts";

vi.setConfig({ testTimeout: 240_000 });

it("sells a call, charges what it used, and refuses what is not paid or not allowed", async () => {
  const { reader, vendor } = await openReaderWithVendor();
  await reader.follow("credits.md");
  const paid = vendor.exchanges.map(({ headers }) => headers.authorization);
  expect(paid).toEqual(["Bearer sk-your-key", "Bearer sk-your-key"]);
});
