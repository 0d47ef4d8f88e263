import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import {
  dataDirectoryForTest,
  startServerForTest,
  type ServerProcess,
} from "../support/server-process.ts";
import { createTestDatabase } from "../support/test-database.ts";
import { openStream, startEndlessUpstream, type Dialect } from "./support/streaming-caller.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A server, and a caller of a vendor that streams for ever in every dialect. */
async function startStreaming(environment: Record<string, string>): Promise<{
  server: ServerProcess;
  open: (dialect: Dialect) => ReturnType<typeof openStream>;
}> {
  const upstream = await startEndlessUpstream();
  const file = join(await dataDirectoryForTest(), "causeway.json");
  const dialects = ["dialect_chat", "dialect_messages", "dialect_responses"];
  const vendor = { label: "Endless", base_url: upstream.fake.origin, dialects, auth: "bearer" };
  await writeFile(file, JSON.stringify({ vendors: { endless: vendor } }));
  const server = await startServerForTest({
    databaseUrl: (await createTestDatabase()).connectionString,
    environment: { ...environment, CAUSEWAY_CONFIG: file },
  });
  const user = await server.createUser();
  const link = { token: user.session, body: { api_key: "sk-vendor" } };
  const linked = await server.call("PUT", "/v1/vendors/endless/credential", link);
  expect(linked.status).toBe(200);
  const { secret } = await user.createKey();
  return { server, open: (dialect) => openStream(server.url, secret, "endless/m1", dialect) };
}

it("[start.drain-deadline] ends streams with their dialect's error event when the deadline has passed", async () => {
  const { server, open } = await startStreaming({ CAUSEWAY_DRAIN_SECONDS: "1" });
  const chat = await open("dialect_chat");
  const messages = await open("dialect_messages");
  const responses = await open("dialect_responses");

  const stoppedAt = performance.now();
  const outcome = server.stop();
  expect(lastEvent(await chat.text)).toMatchObject({ error: { code: "unavailable" } });
  expect(lastEvent(await messages.text)).toMatchObject({
    type: "error",
    error: { type: "api_error", details: { error_code: "unavailable" } },
  });
  expect(lastEvent(await responses.text)).toMatchObject({
    type: "error",
    code: "unavailable",
    sequence_number: 1,
  });
  expect(await outcome).toMatchObject({ code: 0 });
  const took = performance.now() - stoppedAt;
  expect(took).toBeGreaterThan(1000);
  expect(took).toBeLessThan(5000);
});

it("[start.second-signal] exits at once at a second signal a second later, and not before", async () => {
  const { server, open } = await startStreaming({ CAUSEWAY_DRAIN_SECONDS: "60" });
  const stream = await open("dialect_chat");
  const child = server.process;
  child.signal("SIGTERM");
  await child.logLine(/"draining"/);
  child.signal("SIGTERM");
  await delay(1100);
  expect(child.hasExited).toBe(false);
  child.signal("SIGTERM");
  const { code, signal } = await child.ended(2000);
  expect({ code, signal }).toEqual({ code: 1, signal: undefined });
  expect(await stream.text).toContain("[cut: ");
});

/** The JSON of the last frame of a stream that ended as a stream should. */
function lastEvent(text: string): unknown {
  const frames = text.split("\n\n");
  expect(frames.at(-1)).toBe("");
  const data = /^data: (.*)$/m.exec(frames.at(-2) ?? "");
  return JSON.parse(data?.[1] ?? "null");
}
