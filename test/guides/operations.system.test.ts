/** What docs/operations.md says beside back-ups, on an embedded database. */
import { expect, it, vi } from "vitest";
import { startStrictUpstream } from "../support/strict-upstream/start-strict-upstream.ts";
import { GuideReader } from "./guide-reader.ts";

vi.setConfig({ testTimeout: 240_000 });

const ask =
  'curl -sf "$CAUSEWAY_URL/v1/chat/completions" -H "authorization: Bearer $CAUSEWAY_KEY" ' +
  `-H 'content-type: application/json' -d '{"model": "custom/sealed/strict", "messages": [{"role": "user", "content": "Hello"}]}'`;

it("changes keys, starts workers, goes behind a proxy, is asked how it does, and is upgraded", async () => {
  const vendor = await startStrictUpstream();
  const reader = await GuideReader.arrive({
    environment: { CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*" },
  });
  await reader.follow("quick-start.md", "## Start it");
  const endpoint = `--label Sealed --base-url ${vendor.origin}/v1 --api-key sk-sealed`;
  await reader.type(`npx causeway upstreams create ${endpoint}`);
  await reader.follow("operations.md", "### The master key");
  await reader.type(ask);
  expect(vendor.exchanges.at(-1)?.headers.authorization).toBe("Bearer sk-sealed");
  await reader.follow("operations.md", "### Keys of callers");
  await reader.follow("operations.md", "## More processes, more machines");
  await reader.follow("operations.md", "## Behind a proxy, with TLS");
  await reader.follow("operations.md", "## Is it well?");
  await reader.follow("operations.md", "## Upgrade");
});
