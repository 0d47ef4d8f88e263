/** The programs in TypeScript of docs/official-clients.md; those in Python: `test/polyglot`. */
import { expect, it, vi } from "vitest";
import { readerWithVendor } from "./reader-with-vendor.ts";

vi.setConfig({ testTimeout: 240_000 });

it("calls with both official clients in TypeScript", async () => {
  const { reader, vendor } = await readerWithVendor();
  await reader.follow("official-clients.md", "# Official clients");
  await reader.follow("official-clients.md", "### OpenAI");
  await reader.follow("official-clients.md", "### Anthropic");
  expect(vendor.exchanges.map(({ faults }) => faults)).toEqual([[], [], [], []]);
});
