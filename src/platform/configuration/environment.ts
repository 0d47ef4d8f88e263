import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseRedisAddress, redisAddressRequirement } from "../rate-limit/redis/redis-address.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { trimTrailingCharacter } from "../trim-character.ts";

const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number, 0 to 65535")
  .transform(Number)
  .refine((value) => value <= 65_535, "must be a port number, 0 to 65535");

const seconds = z
  .string()
  .regex(/^\d{1,6}$/, "must be a whole number of seconds")
  .transform(Number);

/** Beyond this a machine's memory and its database's connections end first. */
const maxWorkers = 256;
const workersRule = `must be auto or a whole number from 1 to ${maxWorkers}`;

const workers = z
  .string()
  .regex(/^(?:auto|[1-9]\d{0,2})$/, workersRule)
  .transform((text) => (text === "auto" ? coresOfMachine() : Number(text)))
  .refine((value) => value <= maxWorkers, workersRule);

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);

const publicUrl = z
  .string()
  .refine(
    isPublicUrl,
    "must be an http or https address without user, password, query and fragment",
  )
  .transform((text) => trimTrailingCharacter(text, "/"));

const network = z
  .string()
  .refine(isNetwork, "must be an address or a CIDR, 10.0.0.0/8 for instance");

const masterKey = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]{43}=?$/, "must be 32 bytes in base64 (openssl rand -base64 32)")
  .transform((text) => Buffer.from(text, "base64"));

const redis = z.string().transform((text, context) => {
  const address = parseRedisAddress(text);
  if (address !== undefined) return address;
  context.addIssue({ code: "custom", message: redisAddressRequirement });
  return z.NEVER;
});

/** Operator tokens; one that could be guessed would open everything. */
export const adminTokenPattern = /^[\x21-\x7e]{16,512}$/;
export const adminTokenFormatDescription = "16 to 512 visible ASCII characters";

const variables = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, "must start with postgres:// or postgresql://")
    .refine(
      isConnectionString,
      "must be postgres://user:password@host:port/database, special characters percent-encoded",
    )
    .optional(),
  CAUSEWAY_DATA_DIR: z.string().default("./.causeway"),
  CAUSEWAY_SECRET_KEY: list.pipe(z.array(masterKey).min(1, "must hold a key")).optional(),
  CAUSEWAY_ADMIN_TOKEN: z
    .string()
    .regex(adminTokenPattern, `must be ${adminTokenFormatDescription}`)
    .optional(),
  CAUSEWAY_HOST: z.string().default("127.0.0.1"),
  CAUSEWAY_PORT: port.default(8080),
  CAUSEWAY_TOOLS_PORT: port.default(8081),
  CAUSEWAY_PUBLIC_URL: publicUrl.optional(),
  CAUSEWAY_TOOLS_PUBLIC_URL: publicUrl.optional(),
  CAUSEWAY_CONFIG: z.string().optional(),
  CAUSEWAY_UPSTREAM_ALLOW: list.default([]),
  CAUSEWAY_TRUSTED_PROXIES: list.pipe(z.array(network)).default([]),
  CAUSEWAY_REDIS_URL: redis.optional(),
  CAUSEWAY_DRAIN_SECONDS: seconds.default(30),
  CAUSEWAY_WORKERS: workers.default(1),
  CAUSEWAY_LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info"),
});

/** The environment, checked and with every default filled in. */
export type ParsedEnvironmentVariables = z.output<typeof variables>;

const recognized = new Set([
  ...Object.keys(variables.shape),
  // Read by the command line, which is a client of the server.
  "CAUSEWAY_URL",
  "CAUSEWAY_TOOLS_URL",
  "CAUSEWAY_KEY",
  "CAUSEWAY_PROFILE",
  "CAUSEWAY_TIMEOUT",
]);

/**
 * Reads the environment. An empty value counts as absent; a malformed one is a
 * `ConfigurationError` that names the variable.
 */
export function readEnvironment(source: NodeJS.ProcessEnv): ParsedEnvironmentVariables {
  const present = Object.fromEntries(
    Object.entries(source).filter(([name, value]) => recognized.has(name) && value?.trim()),
  );
  const result = variables.safeParse(present);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new ConfigurationError(String(issue?.path[0]), issue?.message ?? "malformed");
}

/** Names of `CAUSEWAY_*` variables that this version does not know: a warning each. */
export function findUnknownEnvironmentVariables(source: NodeJS.ProcessEnv): string[] {
  return Object.keys(source).filter(
    (name) => name.startsWith("CAUSEWAY_") && !recognized.has(name),
  );
}

/** As many as may run at once, by the affinity of this process too. */
function coresOfMachine(): number {
  return Math.min(availableParallelism(), maxWorkers);
}

/**
 * The host may be left out for a socket that a parameter names: `postgres://user@/name?host=/run`.
 * A password with a `/` or `#` that is not percent-encoded would become a host and a database,
 * which messages name.
 */
function isConnectionString(text: string): boolean {
  const url = URL.parse(text.replace("@/", "@localhost/"));
  return url !== null && url.hash === "" && !url.pathname.includes("@");
}

function isPublicUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && !/[?#]/.test(text);
}

/** Written in full: the library alone would take `10` for 0.0.0.10. */
function isNetwork(text: string): boolean {
  const [address = "", prefix] = text.split("/", 2);
  return isIP(address) !== 0 && (prefix === undefined || ipaddr.isValidCIDR(text));
}
