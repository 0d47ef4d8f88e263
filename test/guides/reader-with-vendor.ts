import {
  startStrictUpstream,
  type StrictUpstream,
} from "../support/strict-upstream/start-strict-upstream.ts";
import { GuideReader, type GuideReaderOptions } from "./guide-reader.ts";

/** The models of all guides, and what the vendor on this machine calls its one. */
const models = { "some-model": "strict" };

/** A reader whose guides name a vendor, which here is a strict double of one. */
export async function openReaderWithVendor(
  options: GuideReaderOptions = {},
): Promise<{ readonly reader: GuideReader; readonly vendor: StrictUpstream }> {
  const vendor = await startStrictUpstream();
  const reader = await GuideReader.arrive({
    places: { "https://api.example.com/v1": `${vendor.origin}/v1`, ...models, ...options.places },
    environment: { CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*", ...options.environment },
  });
  return { reader, vendor };
}

/** A reader who has gone through the quick start as far as the endpoint `my-vendor`. */
export async function readerWithVendor(options: GuideReaderOptions = {}) {
  const arrived = await openReaderWithVendor(options);
  await arrived.reader.follow("quick-start.md", "## Start it");
  await arrived.reader.follow("quick-start.md", "## Register an endpoint");
  return arrived;
}
