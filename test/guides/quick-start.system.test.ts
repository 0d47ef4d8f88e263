/** docs/quick-start.md, as a newcomer types it, in front of a vendor on this machine. */
import { expect, it, vi } from "vitest";
import { startStrictUpstream } from "../support/strict-upstream/start-strict-upstream.ts";
import { GuideReader } from "./guide-reader.ts";

vi.setConfig({ testTimeout: 240_000 });

it("takes a newcomer to an answer, a stream, an alias and a key of a program", async () => {
  const vendor = await startStrictUpstream();
  const reader = await GuideReader.arrive({
    places: { "https://api.example.com/v1": `${vendor.origin}/v1`, "some-model": "strict" },
    environment: { CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*" },
  });
  await reader.follow("quick-start.md");
  expect(vendor.exchanges.map(({ body }) => body["stream"] ?? false)).toEqual([
    false,
    false,
    true,
    false,
  ]);
});
