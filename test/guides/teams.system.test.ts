/** The first steps of docs/teams.md, as the owner of a server and somebody who is invited take them. */
import { expect, it, vi } from "vitest";
import { readerWithVendor } from "./reader-with-vendor.ts";

vi.setConfig({ testTimeout: 240_000 });

it("makes a team, invites somebody, and shares an endpoint by a key of the team", async () => {
  const { reader, vendor } = await readerWithVendor();
  await reader.follow("teams.md", "## First steps");
  expect(vendor.exchanges).toHaveLength(1);
});
