import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { ConfigurationError } from "./configuration-error.ts";

const address = z.string().refine(isHttpAddress, "must be an http or https address");
const dialect = z.enum(["dialect_chat", "dialect_messages", "dialect_responses"]);
const amount = z.number().nonnegative();
const count = z.int().positive();

const vendor = z.strictObject({
  label: z.string().min(1),
  base_url: address,
  dialects: z.array(dialect).min(1),
  auth: z.enum(["bearer", "x-api-key", "login"]),
  models: z.array(z.string().min(1)).optional(),
});

const catalogEntry = z.strictObject({
  id: z.string().min(1),
  vendor: z.string().min(1),
  model: z.string().min(1),
  tier: z.string().optional(),
  input_usd_per_mtok: amount,
  output_usd_per_mtok: amount,
  cached_input_usd_per_mtok: amount.optional(),
  cache_write_usd_per_mtok: amount.optional(),
  context_window: count.optional(),
  max_output_tokens: count.optional(),
});

const agent = z.strictObject({
  models: z.array(z.string().min(1)).optional(),
  instructions: z.string().optional(),
  max_steps: count.optional(),
  max_output_tokens: count.optional(),
});

const source = z.union([z.literal("off"), address]);

const limits = z.strictObject({
  requests_per_minute: count.default(600),
  burst: count.default(60),
  tools_requests_per_minute: count.default(600),
  tools_burst: count.default(200),
  max_body_mib: count.max(1024).default(32),
  connect_ms: count.default(5000),
  first_byte_ms: count.default(120_000),
  idle_ms: count.default(60_000),
});

const ecosystems = [
  "npm",
  "pypi",
  "cargo",
  "rubygems",
  "go",
  "maven",
  "nuget",
  "packagist",
] as const;

const sources = z.strictObject({
  osv: source.optional(),
  depsdev: source.optional(),
  ecosystems: source.optional(),
  github: source.optional(),
  github_token: z.string().optional(),
  gitlab: source.optional(),
  forgejo: source.optional(),
  endoflife: source.optional(),
});

const file = z.strictObject({
  vendors: z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/), vendor).default({}),
  credits: z
    .strictObject({
      keys: z.record(z.string(), z.string().min(1)).default({}),
      catalog: z.array(catalogEntry).default([]),
    })
    .default({ keys: {}, catalog: [] }),
  agents: z.strictObject({ omni: agent.optional(), fast: agent.optional() }).default({}),
  registries: z.partialRecord(z.enum(ecosystems), address).default({}),
  sources: sources.default({}),
  mail: z
    .strictObject({
      smtp: z.string().regex(/^smtps?:\/\//, "must start with smtp:// or smtps://"),
      from: z.string().min(3),
    })
    .optional(),
  sign_in: z
    .strictObject({ open: z.boolean().default(false), domains: z.array(z.string()).default([]) })
    .default({ open: false, domains: [] }),
  limits: limits.default(() => limits.parse({})),
  retention: z
    .strictObject({ responses_days: z.int().nonnegative().default(30) })
    .default({ responses_days: 30 }),
  // YAML 1.1 readers make `on` and `off` booleans; both spellings are meant.
  task_context: z
    .union([z.enum(["on", "off"]), z.boolean()])
    .transform((value) => value === true || value === "on")
    .default(true),
});

/** The configuration file as written, defaults filled in (contract section 3). */
export type ConfigurationFile = z.output<typeof file>;

/**
 * Reads the JSON or YAML file of `CAUSEWAY_CONFIG`; without a path, the
 * defaults. Throws a `ConfigurationError` that names the file and the key.
 */
export function readConfigurationFile(
  path: string | undefined,
  environment: NodeJS.ProcessEnv,
): ConfigurationFile {
  if (path === undefined) return file.parse({});
  const setting = `CAUSEWAY_CONFIG ${path}`;
  const content = expandVariables(parseFile(setting, path), environment, setting, "");
  const result = file.safeParse(content ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue === undefined) throw new ConfigurationError(setting, "malformed");
  const key = issuePath(issue);
  throw new ConfigurationError(key === "" ? setting : `${setting}: ${key}`, issueMessage(issue));
}

function parseFile(setting: string, path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigurationError(
      setting,
      `cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  try {
    return parse(text);
  } catch (error) {
    const [firstLine] = (error as Error).message.split("\n");
    throw new ConfigurationError(
      setting,
      `is neither JSON nor YAML: ${firstLine?.replace(/:$/, "")}`,
    );
  }
}

/** Replaces `${NAME}` in every string by the environment variable of that name. */
function expandVariables(
  value: unknown,
  environment: NodeJS.ProcessEnv,
  setting: string,
  path: string,
): unknown {
  if (typeof value === "string") return expandText(value, environment, `${setting}: ${path}`);
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      expandVariables(item, environment, setting, `${path}[${index}]`),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      expandVariables(item, environment, setting, path === "" ? key : `${path}.${key}`),
    ]),
  );
}

function expandText(text: string, environment: NodeJS.ProcessEnv, setting: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) {
      throw new ConfigurationError(setting, `the environment variable ${name} is not set`);
    }
    return value;
  });
}

function issuePath(issue: z.core.$ZodIssue): string {
  const path =
    issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

function issueMessage(issue: z.core.$ZodIssue): string {
  return issue.code === "unrecognized_keys" ? "unknown key" : issue.message;
}

function isHttpAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol);
}
