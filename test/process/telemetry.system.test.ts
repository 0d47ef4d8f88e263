import { expect, it, vi } from "vitest";
import { startCollector } from "../platform/telemetry/fake-collector.ts";
import { startServerForTest } from "../support/server-process.ts";
import { createTestDatabase } from "../support/test-database.ts";
import { waitUntil } from "../support/wait-until.ts";
import { program, programPath } from "../support/causeway-process.ts";

vi.setConfig({ testTimeout: 120_000 });

it("[telemetry.otlp] every process of a server sends its own metrics, and what is left when it ends", async () => {
  const collector = await startCollector();
  const database = await createTestDatabase();
  const server = await startServerForTest({
    databaseUrl: database.connectionString,
    command: [program],
    environment: {
      CAUSEWAY_WORKERS: "2",
      PATH: programPath,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    },
  });
  const valuesOf = (name: string) => collector.points.filter((point) => point.name === name);
  await waitUntil(() => valuesOf("causeway_gateway_workers").at(-1)?.value === 2, 30_000);
  expect(valuesOf("causeway_gateway_workers")[0]?.resource["service.name"]).toBe("causeway");
  await server.call("GET", "/v1/me");
  expect(await server.stop()).toMatchObject({ code: 0 });
  const requests = valuesOf("causeway_http_requests_total");
  expect(requests.some(({ attributes }) => attributes["route"] === "/v1/me")).toBe(true);
  const instances = collector.points.map(({ resource }) => resource["service.instance.id"]);
  expect(new Set(instances).size).toBe(4);
  await server.end();
  await database.drop();
});
