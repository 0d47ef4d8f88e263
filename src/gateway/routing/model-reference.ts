/** What a model id names. */
export type ModelReference =
  | { readonly kind: "agent"; readonly id: string }
  | { readonly kind: "alias"; readonly token: string }
  | { readonly kind: "custom"; readonly slug: string; readonly model: string }
  | { readonly kind: "vendor"; readonly vendor: string; readonly model: string }
  | { readonly kind: "bare"; readonly model: string };

/** A reference that names what it means. */
export type DirectModelReference = Exclude<ModelReference, { kind: "alias" }>;

const agentModels: ReadonlySet<string> = new Set(["agent", "agent-omni", "agent-fast"]);

const customPrefix = "custom/";

/**
 * Reads a model id. The first segment is a vendor only if the catalogue has such
 * a vendor, so that `meta-llama/llama-4` is a bare id. Undefined: `custom/…`
 * without a slug or without an id.
 */
export function parseModelReference(
  id: string,
  isVendor: (segment: string) => boolean,
): ModelReference | undefined {
  if (agentModels.has(id)) return { kind: "agent", id };
  if (id.startsWith("@")) return { kind: "alias", token: id.slice(1) };
  if (id.startsWith(customPrefix)) return readCustom(id);
  const slash = id.indexOf("/");
  const vendor = id.slice(0, Math.max(slash, 0));
  const model = id.slice(slash + 1);
  if (vendor !== "" && model !== "" && isVendor(vendor)) return { kind: "vendor", vendor, model };
  return { kind: "bare", model: id };
}

function readCustom(id: string): ModelReference | undefined {
  const slash = id.indexOf("/", customPrefix.length);
  const slug = id.slice(customPrefix.length, Math.max(slash, 0));
  const model = id.slice(slash + 1);
  return slug === "" || model === "" ? undefined : { kind: "custom", slug, model };
}
