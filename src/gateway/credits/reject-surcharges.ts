import { asObject, type JsonObject } from "../../dialect/json.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { findNestedMemberPath } from "./find-nested-member.ts";

/** Members by which a caller chooses how a vendor serves a call, and their values without a surcharge. */
const surchargeMembers: Readonly<Record<string, ReadonlySet<unknown>>> = {
  service_tier: new Set(["auto", "default", "standard", "standard_only", "flex", "batch", null]),
  speed: new Set(["standard", null]),
  inference_geo: new Set(["global", null]),
};

/** Members by which a caller names other models for its vendor to use (Anthropic, OpenRouter). */
const otherModelMembers = ["fallbacks", "models"];

/** Members of a body, at any depth of which a caller may set the lifetime of a cache or offer a tool. */
const nestingMembers = ["system", "messages", "input", "tools"];

/** Lifetimes of a cache entry that are billed as ordinary writes. */
const messagesLifetimes: ReadonlySet<unknown> = new Set([undefined, null, "5m"]);
const chatLifetimes: ReadonlySet<unknown> = new Set([undefined, null, "5m", "30m", "12h"]);

/** Tools of Anthropic and OpenRouter that ask another model. */
const advisorTool = /^(?:advisor_\d+|openrouter:(?:advisor|fusion|subagent))$/;

/** Throws 400 for what the vendor bills at a price that the catalog entry does not have. */
export function rejectSurcharges(body: JsonObject): void {
  for (const [name, plain] of Object.entries(surchargeMembers)) {
    const value = body[name];
    if (value !== undefined && !plain.has(value)) throw surchargeError(name);
  }
  const others = otherModelMembers.find((name) => (body[name] ?? null) !== null);
  if (others !== undefined) throw otherModelError(others);
  const control = findLongLifetime(body);
  if (control !== undefined) throw surchargeError(control);
  for (const name of nestingMembers) {
    const lifetime = findNestedMemberPath(body[name], name, findLongLifetime);
    if (lifetime !== undefined) throw surchargeError(lifetime);
    const advisor = findNestedMemberPath(body[name], name, findAdvisor);
    if (advisor !== undefined) throw otherModelError(advisor);
  }
}

function findLongLifetime(object: JsonObject): string | undefined {
  if (!messagesLifetimes.has(asObject(object["cache_control"])?.["ttl"])) {
    return "cache_control.ttl";
  }
  // A messages vendor gets this one as `cache_control`.
  return chatLifetimes.has(asObject(object["prompt_cache_breakpoint"])?.["ttl"])
    ? undefined
    : "prompt_cache_breakpoint.ttl";
}

function findAdvisor({ type }: JsonObject): string | undefined {
  return typeof type === "string" && advisorTool.test(type) ? "type" : undefined;
}

function surchargeError(path: string): Error {
  return invalidRequestError(
    path,
    `This value of \`${path}\` has a price of its own at the vendor, and credits are sold at the standard price. Leave \`${path}\` out, or use a credential of your own (\`x-svc-route: byo\`).`,
  );
}

function otherModelError(path: string): Error {
  return invalidRequestError(
    path,
    `\`${path}\` makes the vendor use another model, which has another price. Leave it out and name the models in calls of their own, or use a credential of your own (\`x-svc-route: byo\`).`,
  );
}
