/** The first steps of docs/agent.md. */
import { expect, it, vi } from "vitest";
import { readerWithVendor } from "./reader-with-vendor.ts";

vi.setConfig({ testTimeout: 240_000 });

it("gives an agent a rule and talks with it in one thread, by the shell and by curl", async () => {
  const { reader, vendor } = await readerWithVendor();
  await reader.follow("agent.md", "## First steps");
  expect(vendor.exchanges).toHaveLength(2);
  for (const { body } of vendor.exchanges) {
    expect(JSON.stringify(body)).toContain("Answer in one sentence.");
  }
});
