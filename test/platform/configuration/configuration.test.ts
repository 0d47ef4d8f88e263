import { readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../../src/platform/configuration/configuration.ts";
import { ConfigurationError } from "../../../src/platform/configuration/configuration-error.ts";
import { findUnknownEnvironmentVariables } from "../../../src/platform/configuration/environment.ts";
import { loadInstanceSecrets } from "../../../src/platform/configuration/instance-secrets.ts";
import { folderForTest } from "../../support/folder-for-test.ts";

const masterKey = Buffer.alloc(32, 7).toString("base64");

function configurationFile(content: string, name = "causeway.yaml"): string {
  const path = join(folderForTest(), name);
  writeFileSync(path, content);
  return path;
}

function problemOf(environment: NodeJS.ProcessEnv): string {
  try {
    readConfiguration(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error("The configuration was accepted.");
}

describe("readConfiguration()", () => {
  it("[start.ports] [environment.log-level] has a default that works for everything", () => {
    const configuration = readConfiguration({});
    expect(configuration).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      toolsPort: 8081,
      drainSeconds: 30,
      workers: 1,
      logLevel: "info",
      upstreamAllow: [],
      limits: {
        requestsPerMinute: 600,
        burst: 60,
        concurrentRequests: 1024,
        processRequests: 10_000,
        toolsRequestsPerMinute: 600,
        toolsBurst: 200,
        maxBodyMib: 32,
        connectMs: 5000,
        firstByteMs: 120_000,
        idleMs: 60_000,
        shedLoopDelayMs: 500,
      },
      signIn: { open: false, domains: [] },
    });
    expect(configuration.dataDirectory).toMatch(/\.causeway$/);
  });

  it.each([
    [{ CAUSEWAY_PORT: "80a" }, "CAUSEWAY_PORT: must be a port number, 0 to 65535"],
    [{ CAUSEWAY_PORT: "70000" }, "CAUSEWAY_PORT: must be a port number, 0 to 65535"],
    [{ CAUSEWAY_DRAIN_SECONDS: "-1" }, "CAUSEWAY_DRAIN_SECONDS: must be a whole number of seconds"],
    [{ CAUSEWAY_WORKERS: "0" }, "CAUSEWAY_WORKERS: must be auto or a whole number from 1 to 256"],
    [{ CAUSEWAY_WORKERS: "257" }, "CAUSEWAY_WORKERS: must be auto or a whole number from 1 to"],
    [{ CAUSEWAY_WORKERS: "2.5" }, "CAUSEWAY_WORKERS: must be auto or a whole number from 1 to"],
    [{ CAUSEWAY_WORKERS: "many" }, "CAUSEWAY_WORKERS: must be auto or a whole number from 1 to"],
    [{ CAUSEWAY_SECRET_KEY: "short" }, "CAUSEWAY_SECRET_KEY: must be 32 bytes in base64"],
    [
      { CAUSEWAY_SECRET_KEY: `${masterKey},oops` },
      "CAUSEWAY_SECRET_KEY: must be 32 bytes in base64",
    ],
    [{ CAUSEWAY_ADMIN_TOKEN: "short" }, "CAUSEWAY_ADMIN_TOKEN: must be 16 to 512"],
    [
      { CAUSEWAY_TRUSTED_PROXIES: "10.0.0.0/99" },
      "CAUSEWAY_TRUSTED_PROXIES: must be an address or a CIDR",
    ],
    [{ CAUSEWAY_TRUSTED_PROXIES: "10" }, "CAUSEWAY_TRUSTED_PROXIES: must be an address or a CIDR"],
    [
      { CAUSEWAY_REDIS_URL: "http://user:canary@cache" },
      "CAUSEWAY_REDIS_URL: must be redis://user:password@host:port/database",
    ],
    [{ CAUSEWAY_REDIS_URL: "redis://:canary@cache/x" }, "CAUSEWAY_REDIS_URL: must be redis://"],
    [{ CAUSEWAY_LOG_LEVEL: "loud" }, "CAUSEWAY_LOG_LEVEL: "],
    [
      { CAUSEWAY_PUBLIC_URL: "example.org" },
      "CAUSEWAY_PUBLIC_URL: must be an http or https address",
    ],
    [{ DATABASE_URL: "mysql://x" }, "DATABASE_URL: must start with postgres://"],
    [{ DATABASE_URL: "postgres://ada:1/hunter2@x/y" }, "DATABASE_URL: must be postgres://"],
    [{ DATABASE_URL: "postgres://ada:1#hunter2@x/y" }, "DATABASE_URL: must be postgres://"],
    [
      { CAUSEWAY_PUBLIC_URL: "https://ada:hunter2@a.example" },
      "CAUSEWAY_PUBLIC_URL: must be an http or https address without user, password",
    ],
    [{ DATABASE_URL: "postgres://x/y" }, "CAUSEWAY_SECRET_KEY: is required with DATABASE_URL"],
    [
      { CAUSEWAY_CONFIG: "/no/such/file.yaml" },
      "CAUSEWAY_CONFIG /no/such/file.yaml: cannot be read (ENOENT)",
    ],
  ])(
    "[environment.malformed] [environment.log-level] refuses the environment %j and names the setting",
    (environment, message) => {
      const problem = problemOf(environment);
      expect(problem).toContain(message);
      expect(problem).not.toContain("canary");
    },
  );

  it("[environment.workers] takes a number of workers, or auto for as many as the machine runs at once", () => {
    expect(readConfiguration({ CAUSEWAY_WORKERS: "12" }).workers).toBe(12);
    expect(readConfiguration({ CAUSEWAY_WORKERS: "auto" }).workers).toBe(
      Math.min(availableParallelism(), 256),
    );
  });

  it("counts an empty variable as absent", () => {
    expect(readConfiguration({ CAUSEWAY_PORT: "" }).port).toBe(8080);
  });

  it("[environment.config] [file.agents] reads a file that has every key, as YAML and as JSON", () => {
    const path = configurationFile(`
vendors:
  acme: { label: Acme, base_url: http://127.0.0.1:9001/v1, dialects: [dialect_chat], auth: bearer, models: [acme-large] }
credits:
  keys: { acme: "\${ACME_KEY}" }
  catalog:
    - { id: acme-large, vendor: acme, model: acme-large, tier: standard, input_usd_per_mtok: 2, output_usd_per_mtok: 8, cached_input_usd_per_mtok: 0.2, context_window: 128000, max_output_tokens: 16000 }
agents:
  omni: { models: [acme-large], instructions: "...", max_steps: 24, max_output_tokens: 16000 }
  fast: { models: [acme-large], max_steps: 6 }
  limits: { max_tool_calls: 10, max_cost_usd: 0.5 }
registries: { npm: "http://127.0.0.1:9002/npm" }
sources: { osv: "http://127.0.0.1:9002/osv", github: off, github_token: "\${ACME_KEY}" }
mail: { smtp: "smtp://127.0.0.1:2525", from: "Causeway <no-reply@example.org>" }
sign_in: { open: true, domains: [example.org] }
limits: { held_bodies_mib: 64, requests_per_minute: 10, max_body_mib: 4 }
retention: { responses_days: 0 }
cors: { origins: ["https://app.example.org", "http://localhost:3000"] }
task_context: off
`);
    const configuration = readConfiguration({ CAUSEWAY_CONFIG: path, ACME_KEY: "k" });
    expect(configuration.vendors["acme"]).toEqual({
      label: "Acme",
      baseUrl: "http://127.0.0.1:9001/v1",
      dialects: ["dialect_chat"],
      auth: "bearer",
      models: ["acme-large"],
    });
    expect(configuration.limits).toMatchObject({ requestsPerMinute: 10, burst: 60, maxBodyMib: 4 });
    expect(configuration.limits.heldBodiesMib).toBe(64);
    expect(configuration.signIn).toEqual({ open: true, domains: ["example.org"] });
    expect(configuration.corsOrigins).toEqual(["https://app.example.org", "http://localhost:3000"]);
    expect(configuration.retention).toEqual({ responsesDays: 0, threadsDays: 30, callsDays: 30 });
    const common = { steps: 24, toolCalls: 10, seconds: 900, outputTokens: 32_000, costUsd: 0.5 };
    expect(configuration.agents).toEqual({
      omni: {
        models: ["acme-large"],
        instructions: "...",
        limits: { ...common, outputTokens: 16_000 },
      },
      fast: { models: ["acme-large"], instructions: undefined, limits: { ...common, steps: 6 } },
      limits: common,
    });
    const json = configurationFile('{"limits": {"burst": 5}}', "causeway.json");
    expect(readConfiguration({ CAUSEWAY_CONFIG: json }).limits).toMatchObject({
      burst: 5,
      heldBodiesMib: 512,
    });
  });

  it.each([
    ["limitz: {}", "limitz: unknown key"],
    ["limits: { burst: 0 }", "limits.burst: "],
    ["retention: { calls_days: 0 }", "retention.calls_days: "],
    ["retention: { threads_days: 0 }", "retention.threads_days: "],
    ["agents: { omni: { models: [agent-fast] } }", "agents.omni.models[0]: an engine thinks with"],
    ["agents: { fast: { max_steps: 0 } }", "agents.fast.max_steps: "],
    ["agents: { limits: { max_cost_usd: 0 } }", "agents.limits.max_cost_usd: "],
    ["agents: { slow: {} }", "agents.slow"],
    ["limits: { concurrent_requests: 0 }", "limits.concurrent_requests: "],
    ["limits: { concurrent_requests: 1.5 }", "limits.concurrent_requests: "],
    ["limits: { process_requests: 0 }", "limits.process_requests: "],
    ["limits: { held_bodies_mib: 0 }", "limits.held_bodies_mib: "],
    ["limits: { shed_loop_delay_ms: -1 }", "limits.shed_loop_delay_ms: "],
    ["vendors: { Acme: {} }", "vendors.Acme: a vendor id is 1 to 63 of a-z, 0-9 and -"],
    ["vendors: { custom: {} }", "vendors.custom: `custom` is no vendor id"],
    [
      "credits: { catalog: [{ id: a, vendor: v, model: m }, { id: a, vendor: v, model: n }] }",
      "credits.catalog[1].id: `a` is the id of an earlier entry",
    ],
    ["mail: { smtp: 'smtp://x' }", "mail.from: is missing"],
    ["sources: { osv: on }", "sources.osv: must be `off`, `public`, or an http or https address"],
    ["task_context: maybe", "task_context: must be on or off"],
    [
      "registries: { npm: 'http://user:canary@x/' }",
      "registries.npm: must be an http or https address without user name",
    ],
    ["limits: { bursts: 1 }", "limits.bursts: unknown key"],
    ...["*", "https://*.example.org", "https://a/", "https://a:443", "a.org", "null", "ws://a"].map(
      (origin) => [`cors: { origins: ['https://b', '${origin}'] }`, "cors.origins[1]: must be one"],
    ),
    [
      "vendors: { a: { label: A, base_url: x, dialects: [dialect_chat], auth: bearer } }",
      "vendors.a.base_url: must be",
    ],
    [
      "vendors: { a: { label: A, base_url: 'http://x/', dialects: [chat], auth: bearer } }",
      "vendors.a.dialects[0]: ",
    ],
    [
      "mail: { smtp: '${NO_SUCH}', from: 'a@b' }",
      "mail.smtp: the environment variable NO_SUCH is not set",
    ],
    [
      "mail: { smtp: '${toString}', from: 'a@b' }",
      "mail.smtp: the environment variable toString is not set",
    ],
    ...["-1", ".inf", ".nan", "'1'"].map((price) => [
      `credits: { catalog: [{ id: a, vendor: b, model: c, input_usd_per_mtok: ${price} }] }`,
      "credits.catalog[0].input_usd_per_mtok: ",
    ]),
    ["a: [", "is neither JSON nor YAML"],
    ["- 1", "expected object"],
  ])("[file.unknown-key] refuses the file %j and names the key", (content, message) => {
    const path = configurationFile(content);
    const problem = problemOf({ CAUSEWAY_CONFIG: path });
    expect(problem).toContain(`CAUSEWAY_CONFIG ${path}`);
    expect(problem).toContain(message);
    expect(problem).not.toContain("\n");
  });
});

describe("unknownVariables()", () => {
  it("[environment.unknown] names what this version does not know and nothing else", () => {
    expect(
      findUnknownEnvironmentVariables({ CAUSEWAY_PROT: "1", CAUSEWAY_PORT: "1", PATH: "x" }),
    ).toEqual(["CAUSEWAY_PROT"]);
  });

  it("knows those of the command line", () => {
    const environment = {
      CAUSEWAY_URL: "x",
      CAUSEWAY_TOOLS_URL: "x",
      CAUSEWAY_KEY: "x",
      CAUSEWAY_PROFILE: "x",
    };
    expect(findUnknownEnvironmentVariables(environment)).toEqual([]);
  });
});

describe("loadInstanceSecrets()", () => {
  const dataDirectory = () => join(folderForTest(), "data");

  it("[environment.admin-token] [identity.operator-token] generates both once, with mode 0600", () => {
    const configuration = readConfiguration({ CAUSEWAY_DATA_DIR: dataDirectory() });
    const first = loadInstanceSecrets(configuration);
    expect(first.adminToken).toMatch(/^cwa_[0-9A-Za-z]{49}$/);
    expect(first.secretKeys[0]).toHaveLength(32);
    expect(loadInstanceSecrets(configuration)).toEqual(first);
    for (const name of ["secret-key", "admin-token"]) {
      expect(statSync(join(configuration.dataDirectory, name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(join(configuration.dataDirectory, "admin-token"), "utf8").trim()).toBe(
      first.adminToken,
    );
  });

  it("generates nothing with DATABASE_URL", () => {
    const configuration = readConfiguration({
      DATABASE_URL: "postgres://localhost/x",
      CAUSEWAY_SECRET_KEY: `${masterKey},${Buffer.alloc(32, 8).toString("base64")}`,
      CAUSEWAY_DATA_DIR: "/no/such/directory",
    });
    const secrets = loadInstanceSecrets(configuration);
    expect(secrets.adminToken).toBeUndefined();
    expect(secrets.secretKeys).toHaveLength(2);
  });

  it.each([
    ["secret-key", "oops", "must hold 32 bytes in base64"],
    ["admin-token", "", "must hold 16 to 512 visible ASCII characters"],
    ["admin-token", "short", "must hold 16 to 512 visible ASCII characters"],
  ])("refuses the damaged file %s %j and names it", (name, content, problem) => {
    const configuration = readConfiguration({ CAUSEWAY_DATA_DIR: dataDirectory() });
    loadInstanceSecrets(configuration);
    writeFileSync(join(configuration.dataDirectory, name), content);
    expect(() => loadInstanceSecrets(configuration)).toThrow(`${name}: ${problem}`);
  });
});
