import { resolve } from "node:path";
import type { RedisAddress } from "../rate-limit/redis/redis-address.ts";
import { Secret } from "../crypto/secret.ts";
import { parseAgentsConfiguration, type AgentsConfiguration } from "./agents.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { systemClock, type Clock } from "../clock.ts";
import { parseCreditsConfiguration, type CreditsConfiguration } from "./credits.ts";
import { readConfigurationFile, type ConfigurationFile } from "./configuration-file.ts";
import { readEnvironment, type ParsedEnvironmentVariables } from "./environment.ts";
import {
  parseDepshealthSourcesConfiguration,
  type PackageDataSourceSettings,
} from "./package-sources.ts";

export type DialectId = "dialect_chat" | "dialect_messages" | "dialect_responses";

/** A vendor of the catalogue: where it is dialled and how. */
export interface VendorCatalogEntry {
  readonly label: string;
  readonly baseUrl: string;
  readonly dialects: readonly DialectId[];
  /** Credential style. `login` takes a linked code-assistant login. */
  readonly auth: "bearer" | "x-api-key" | "login";
  /** Model ids; undefined: discovered from the vendor's list. */
  readonly models: readonly string[] | undefined;
  /** The server of the vendor that invented its dialects, not a compatible one. */
  readonly isFirstParty?: boolean;
  /** Where its logins are renewed; undefined: a login ends with its access token. */
  readonly tokenEndpoint?: TokenEndpoint;
}

/** An OAuth 2.0 token endpoint, and what it knows this server's operator as (RFC 6749, section 6). */
export interface TokenEndpoint {
  readonly url: string;
  readonly clientId: string;
  /** Undefined: a public client. */
  readonly clientSecret: Secret | undefined;
  /** Undefined: the scope that the login has. */
  readonly scope: string | undefined;
}

/** Request buckets and time limits; times in milliseconds, bodies in mebibytes. */
export interface ConfiguredRequestLimits {
  readonly requestsPerMinute: number;
  readonly burst: number;
  /** Model calls of one key under way at once, in each process. */
  readonly concurrentRequests: number;
  /** Model calls of all keys under way at once, in each process. */
  readonly processRequests: number;
  readonly toolsRequestsPerMinute: number;
  readonly toolsBurst: number;
  readonly maxBodyMib: number;
  /** Request bodies that each process holds at once, one key a quarter of it at most. */
  readonly heldBodiesMib: number;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  /** Lateness of the event loop from which on new calls are refused; 0: they never are. */
  readonly shedLoopDelayMs: number;
}

/** Everything an operator can set, checked. */
export interface Configuration {
  /** Undefined: the embedded server. */
  readonly databaseUrl: string | undefined;
  /** Absolute path. */
  readonly dataDirectory: string;
  readonly host: string;
  readonly port: number;
  readonly toolsPort: number;
  readonly publicUrl: string | undefined;
  readonly toolsPublicUrl: string | undefined;
  /** As configured; undefined in embedded mode means: generated into the data directory. */
  readonly secretKeys: readonly Buffer[] | undefined;
  /** Undefined: generated in embedded mode, else the operator API is off. */
  readonly adminToken: string | undefined;
  /** Entries `host-or-CIDR:port`, parsed by the dialer. */
  readonly upstreamAllow: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Keeps request buckets for several machines; undefined: each process keeps its own. */
  readonly redis: RedisAddress | undefined;
  readonly drainSeconds: number;
  /** Gateway processes on this machine; with 1 there is no primary process over them. */
  readonly workers: number;
  readonly logLevel: ParsedEnvironmentVariables["CAUSEWAY_LOG_LEVEL"];
  readonly vendors: Readonly<Record<string, VendorCatalogEntry>>;
  readonly mail: { readonly smtp: string; readonly from: string } | undefined;
  readonly signIn: { readonly open: boolean; readonly domains: readonly string[] };
  readonly limits: ConfiguredRequestLimits;
  readonly credits: CreditsConfiguration;
  readonly agents: AgentsConfiguration;
  readonly retention: {
    /** Days that answers to responses callers are kept; 0: never. */
    readonly responsesDays: number;
    /** Days that a thread of an agent is kept after its last turn has begun. */
    readonly threadsDays: number;
    /** Days that what is told of calls is kept. */
    readonly callsDays: number;
  };
  /** Origins whose pages may call the gateway with a key. */
  readonly corsOrigins: readonly string[];
  readonly packageSources: PackageDataSourceSettings;
  /** Whether what callers of the tools say of their goal is kept for the operator. */
  readonly keepsTaskContexts: boolean;
}

/**
 * Reads and checks the whole configuration; prices that it leaves to the price
 * package are those of the clock's time. Throws a `ConfigurationError`; nothing is
 * written or started.
 */
export function readConfiguration(
  source: NodeJS.ProcessEnv,
  clock: Clock = systemClock,
): Configuration {
  const environment = readEnvironment(source);
  if (environment.DATABASE_URL !== undefined && environment.CAUSEWAY_SECRET_KEY === undefined) {
    throw new ConfigurationError(
      "CAUSEWAY_SECRET_KEY",
      "is required with DATABASE_URL: 32 bytes in base64 (openssl rand -base64 32)",
    );
  }
  const file = readConfigurationFile(environment.CAUSEWAY_CONFIG, source);
  return { ...fromEnvironment(environment), ...fromFile(file, clock, environment.CAUSEWAY_CONFIG) };
}

function fromEnvironment(environment: ParsedEnvironmentVariables) {
  return {
    databaseUrl: environment.DATABASE_URL,
    dataDirectory: resolve(environment.CAUSEWAY_DATA_DIR),
    host: environment.CAUSEWAY_HOST,
    port: environment.CAUSEWAY_PORT,
    toolsPort: environment.CAUSEWAY_TOOLS_PORT,
    publicUrl: environment.CAUSEWAY_PUBLIC_URL,
    toolsPublicUrl: environment.CAUSEWAY_TOOLS_PUBLIC_URL,
    secretKeys: environment.CAUSEWAY_SECRET_KEY,
    adminToken: environment.CAUSEWAY_ADMIN_TOKEN,
    upstreamAllow: environment.CAUSEWAY_UPSTREAM_ALLOW,
    trustedProxies: environment.CAUSEWAY_TRUSTED_PROXIES,
    redis: environment.CAUSEWAY_REDIS_URL,
    drainSeconds: environment.CAUSEWAY_DRAIN_SECONDS,
    workers: environment.CAUSEWAY_WORKERS,
    logLevel: environment.CAUSEWAY_LOG_LEVEL,
  };
}

function fromFile(file: ConfigurationFile, clock: Clock, path = "") {
  return {
    vendors: Object.fromEntries(
      Object.entries(file.vendors).map(([id, vendor]) => [
        id,
        {
          label: vendor.label,
          baseUrl: vendor.base_url,
          dialects: vendor.dialects,
          auth: vendor.auth,
          models: vendor.models,
          ...tokenEndpointOf(vendor),
        },
      ]),
    ),
    packageSources: parseDepshealthSourcesConfiguration(file),
    keepsTaskContexts: file.task_context,
    mail: file.mail,
    signIn: file.sign_in,
    credits: parseCreditsConfiguration(file, `CAUSEWAY_CONFIG ${path}`, clock),
    agents: parseAgentsConfiguration(file.agents),
    retention: {
      responsesDays: file.retention.responses_days,
      threadsDays: file.retention.threads_days,
      callsDays: file.retention.calls_days,
    },
    corsOrigins: file.cors.origins,
    limits: {
      requestsPerMinute: file.limits.requests_per_minute,
      burst: file.limits.burst,
      concurrentRequests: file.limits.concurrent_requests,
      processRequests: file.limits.process_requests,
      toolsRequestsPerMinute: file.limits.tools_requests_per_minute,
      toolsBurst: file.limits.tools_burst,
      maxBodyMib: file.limits.max_body_mib,
      heldBodiesMib: file.limits.held_bodies_mib,
      connectMs: file.limits.connect_ms,
      firstByteMs: file.limits.first_byte_ms,
      idleMs: file.limits.idle_ms,
      shedLoopDelayMs: file.limits.shed_loop_delay_ms,
    },
  };
}

function tokenEndpointOf({
  token_url: url,
  client_id: clientId,
  client_secret: secret,
  scope,
}: ConfigurationFile["vendors"][string]): { readonly tokenEndpoint?: TokenEndpoint } {
  if (url === undefined || clientId === undefined) return {};
  const clientSecret = secret === undefined ? undefined : new Secret(secret);
  return { tokenEndpoint: { url, clientId, clientSecret, scope } };
}
