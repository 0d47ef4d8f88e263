/** What docs/operations.md says of Redis. */
import { createClient } from "@redis/client";
import { expect, it, onTestFinished } from "vitest";
import { startRedisServer } from "../../scripts/redis-server.ts";
import { readerWithVendor } from "../guides/reader-with-vendor.ts";

it("keeps the request limits of a server in Redis", async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.kill());
  const address = `127.0.0.1:${redis.port}`;
  const { reader } = await readerWithVendor({ places: { "127.0.0.1:6379": address } });
  await reader.follow("operations.md", "### With Redis");
  await reader.follow("quick-start.md", "## Call it");
  const client = await createClient({ url: `redis://${address}` }).connect();
  onTestFinished(() => client.destroy());
  expect(await client.info("commandstats")).toContain("cmdstat_eval");
});
