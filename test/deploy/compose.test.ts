/** What `deploy/compose.yaml` promises, on machines that cannot run it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readConfiguration } from "../../src/platform/configuration/configuration.ts";
import { findUnknownEnvironmentVariables } from "../../src/platform/configuration/environment.ts";
import manifest from "../../package.json" with { type: "json" };

const { version } = manifest;

const serviceSchema = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.looseObject({}).optional(),
  stop_grace_period: z.string().optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  networks: z.array(z.string()),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(
    z.string(),
    z
      .object({ ipam: z.object({ config: z.array(z.object({ subnet: z.string() })) }).optional() })
      .nullable(),
  ),
  volumes: z.record(z.string(), z.null()),
});

const text = await readFile("deploy/compose.yaml", "utf8");
const { services, networks, volumes } = composeSchema.parse(parse(text, { merge: true }));
const gateways = Object.entries(services).filter(([name]) => name.startsWith("gateway-"));
const proxy = await readFile("deploy/nginx.conf", "utf8");

/** As Compose fills in what an .env file has. */
function filled(value: string, given: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind, rest) => {
    const found = given[name] ?? "";
    if (found !== "") return found;
    if (kind === "?") throw new Error(`${name} is needed: ${String(rest)}`);
    return String(rest ?? "");
  });
}

describe("deploy/compose.yaml", () => {
  it("names images by tags, and the release of this program", () => {
    for (const { image } of Object.values(services)) {
      expect(image).toMatch(/:.*\d/);
      expect(image).not.toContain("latest");
    }
    expect(gateways).toHaveLength(2);
    for (const [, { image }] of gateways) expect(filled(image, {})).toBe(`causeway:${version}`);
  });

  it("gives the gateways an environment that they start with", () => {
    const given = {
      POSTGRES_PASSWORD: "0a1b2c",
      CAUSEWAY_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
      CAUSEWAY_ADMIN_TOKEN: "a".repeat(32),
    };
    for (const [, { environment = {} }] of gateways) {
      const variables = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, filled(value, given)]),
      );
      const CAUSEWAY_CONFIG = join("deploy", variables["CAUSEWAY_CONFIG"]?.split("/").at(-1) ?? "");
      expect(readConfiguration({ ...variables, CAUSEWAY_CONFIG })).toMatchObject({
        databaseUrl: "postgres://causeway:0a1b2c@postgres:5432/causeway",
        trustedProxies: [networks["front"]?.ipam?.config[0]?.subnet],
      });
      expect(findUnknownEnvironmentVariables(variables)).toEqual([]);
    }
  });

  it("does not start without secrets, and has none of its own", async () => {
    const [, { environment = {} }] = gateways[0] ?? ["", serviceSchema.parse({})];
    expect(() => filled(environment["CAUSEWAY_SECRET_KEY"] ?? "", {})).toThrow("is needed");
    expect(() => filled(environment["DATABASE_URL"] ?? "", {})).toThrow("is needed");
    const example = await readFile("deploy/env.example", "utf8");
    const named = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    for (const name of new Set(named)) {
      if (name !== "CAUSEWAY_VERSION") expect(example).toMatch(new RegExp(`^${name ?? ""}=`, "m"));
    }
    expect(example).toMatch(/^POSTGRES_PASSWORD=$/m);
    expect(example).toMatch(/^CAUSEWAY_SECRET_KEY=$/m);
  });

  it("leaves the gateways the time to drain that they are told to take", () => {
    for (const [, { environment = {}, stop_grace_period: grace = "10s" }] of gateways) {
      const drain = Number(environment["CAUSEWAY_DRAIN_SECONDS"]);
      expect(Number.parseInt(grace, 10)).toBeGreaterThan(drain + 20);
    }
  });

  it("starts each service when what it needs is healthy, and opens the proxy alone", () => {
    for (const [name, { depends_on: needed = {}, ports }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(needed)) {
        expect(condition).toBe("service_healthy");
        // The gateways' image has a health check of its own.
        const isChecked = other.startsWith("gateway-") || services[other]?.healthcheck;
        expect(isChecked).toBeTruthy();
      }
      expect(ports === undefined).toBe(name !== "proxy");
    }
  });

  it("mounts what lies beside it, and volumes and networks that it has", async () => {
    for (const service of Object.values(services)) {
      for (const network of service.networks) expect(Object.keys(networks)).toContain(network);
      for (const mount of service.volumes ?? []) {
        const [source = ""] = mount.split(":");
        if (!source.startsWith("./")) expect(Object.keys(volumes)).toContain(source);
        else expect(await readFile(join("deploy", source))).not.toHaveLength(0);
      }
    }
  });
});

describe("deploy/nginx.conf", () => {
  it("sends to the gateways of the composition", () => {
    const servers = [...proxy.matchAll(/server ([\w-]+):(\d+)/g)].map(([, host]) => host);
    expect(new Set(servers)).toEqual(new Set(gateways.map(([name]) => name)));
  });

  it.each([
    "proxy_buffering off;",
    "proxy_request_buffering off;",
    "proxy_http_version 1.1;",
    "proxy_set_header Upgrade $http_upgrade;",
    "proxy_set_header X-Forwarded-For $remote_addr;",
    "client_max_body_size 0;",
    "proxy_read_timeout 1h;",
    "proxy_next_upstream error;",
  ])("says %s", (directive) => {
    expect(proxy).toContain(directive);
  });
});
