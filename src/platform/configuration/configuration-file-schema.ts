import { z } from "zod";
import { packageEcosystems } from "../ecosystem.ts";

const address = z
  .string()
  .refine(isHttpAddress, "must be an http or https address without user name, query or fragment");
const dialect = z.enum(["dialect_chat", "dialect_messages", "dialect_responses"]);
const amount = z.number().nonnegative();
const count = z.int().positive();

const vendor = z
  .strictObject({
    label: z.string().min(1),
    base_url: address,
    dialects: z.array(dialect).min(1),
    auth: z.enum(["bearer", "x-api-key", "login"]),
    models: z.array(z.string().min(1)).optional(),
    token_url: address.optional(),
    client_id: z.string().min(1).optional(),
    client_secret: z.string().min(1).optional(),
    scope: z.string().min(1).optional(),
  })
  .superRefine(checkTokenEndpoint);

const vendorId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "a vendor id is 1 to 63 of a-z, 0-9 and -, not - first")
  // `custom/<slug>/<id>` names an account's own endpoint.
  .refine((id) => id !== "custom", "`custom` is no vendor id: `custom/…` names custom endpoints");

const catalogEntry = z.strictObject({
  id: z.string().min(1),
  vendor: z.string().min(1),
  model: z.string().min(1),
  tier: z.string().optional(),
  input_usd_per_mtok: amount.optional(),
  output_usd_per_mtok: amount.optional(),
  cached_input_usd_per_mtok: amount.optional(),
  cache_write_usd_per_mtok: amount.optional(),
  context_window: count.optional(),
  max_output_tokens: count.optional(),
});

const agentLimits = z.strictObject({
  max_steps: count.optional(),
  max_tool_calls: count.optional(),
  max_seconds: count.optional(),
  max_output_tokens: count.optional(),
  max_cost_usd: z.number().positive().optional(),
});

const agent = agentLimits.extend({
  models: z
    .array(
      z
        .string()
        .min(1)
        .refine(
          (id) => !/^agent(-omni|-fast)?$/.test(id),
          "an engine thinks with a model, and cannot with an agent",
        ),
    )
    .default([]),
  instructions: z.string().min(1).optional(),
});

const source = z
  .string()
  .refine(
    (text) => text === "off" || text === "public" || isHttpAddress(text),
    "must be `off`, `public`, or an http or https address",
  );

const registry = z
  .string()
  .refine(
    (text) => text === "public" || isHttpAddress(text),
    "must be an http or https address without user name, query or fragment, or `public`",
  );

const pageOrigin = z
  .string()
  .refine(
    (text) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text,
    "must be one origin as browsers send it, https://app.example.org: no path, no `*`",
  );

const limits = z.strictObject({
  requests_per_minute: count.default(600),
  burst: count.default(60),
  concurrent_requests: count.default(1024),
  process_requests: count.default(10_000),
  tools_requests_per_minute: count.default(600),
  tools_burst: count.default(200),
  max_body_mib: count.max(1024).default(32),
  held_bodies_mib: count.max(1024 * 1024).default(512),
  connect_ms: count.default(5000),
  first_byte_ms: count.default(120_000),
  idle_ms: count.default(60_000),
  shed_loop_delay_ms: z.int().nonnegative().default(500),
});

const sources = z.strictObject({
  osv: source.optional(),
  depsdev: source.optional(),
  ecosystems: source.optional(),
  github: source.optional(),
  github_token: z.string().optional(),
  gitlab: source.optional(),
  forgejo: source.optional(),
  endoflife: source.optional(),
  // The sources that are not named.
  others: z.enum(["off", "public"]).optional(),
});

/** The configuration file with every default filled in. An unknown key is an error. */
export const configurationFileSchema = z.strictObject({
  vendors: z.record(vendorId, vendor).default({}),
  credits: z
    .strictObject({
      keys: z.record(z.string(), z.string().min(1)).default({}),
      catalog: z.array(catalogEntry).superRefine(rejectRepeatedIds).default([]),
    })
    .default({ keys: {}, catalog: [] }),
  agents: z
    .strictObject({
      omni: agent.optional(),
      fast: agent.optional(),
      limits: agentLimits.optional(),
    })
    .default({}),
  registries: z.partialRecord(z.enum(packageEcosystems), registry).default({}),
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
    .strictObject({
      responses_days: z.int().nonnegative().default(30),
      threads_days: z.int().positive().default(30),
      calls_days: z.int().positive().default(30),
    })
    .default({ responses_days: 30, threads_days: 30, calls_days: 30 }),
  cors: z.strictObject({ origins: z.array(pageOrigin).default([]) }).default({ origins: [] }),
  // YAML 1.1 readers make `on` and `off` booleans; both spellings are meant.
  task_context: z
    .union([z.enum(["on", "off"]), z.boolean()], "must be on or off")
    .transform((value) => value === true || value === "on")
    .default(true),
});

/** How a login is renewed is said whole, and only of vendors that take one. */
function checkTokenEndpoint(
  vendor: {
    readonly auth: string;
    readonly token_url?: string | undefined;
    readonly client_id?: string | undefined;
    readonly client_secret?: string | undefined;
    readonly scope?: string | undefined;
  },
  context: z.RefinementCtx,
): void {
  const refuse = (key: string, message: string): void =>
    context.addIssue({ code: "custom", path: [key], message });
  const said = (["token_url", "client_id", "client_secret", "scope"] as const).find(
    (key) => vendor[key] !== undefined,
  );
  if (said === undefined) return;
  if (vendor.auth !== "login") refuse(said, "is for vendors with `auth: login` only");
  else if (vendor.token_url === undefined) refuse("token_url", `is missing: \`${said}\` needs it`);
  else if (vendor.client_id === undefined) {
    refuse("client_id", "is missing: the token endpoint must know who asks");
  }
}

/** The second entry of an id could never be called. */
function rejectRepeatedIds(
  entries: readonly { readonly id: string }[],
  context: z.RefinementCtx,
): void {
  const seen = new Set<string>();
  for (const [index, { id }] of entries.entries()) {
    if (seen.has(id)) {
      const message = `\`${id}\` is the id of an earlier entry`;
      context.addIssue({ code: "custom", path: [index, "id"], message });
    }
    seen.add(id);
  }
}

/** What is dialled and appended to, so that nothing but a path may follow the host. */
function isHttpAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && !/[?#]/.test(text);
}
