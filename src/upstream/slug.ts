import { trimTrailingCharacter } from "../platform/trim-character.ts";
const maxSlugLength = 63;

/** Of the endpoint of an older single-endpoint installation. */
const reservedSlug = "custom";

/**
 * The slug of a new endpoint: its label in `[a-z0-9-]`, made unique among the
 * slugs that are taken by `-2`, `-3`, … A label without any such character
 * becomes `endpoint`.
 */
export function buildUniqueEndpointSlug(label: string, taken: ReadonlySet<string>): string {
  const stem = slugOf(label);
  const isFree = (slug: string): boolean => slug !== reservedSlug && !taken.has(slug);
  let slug = stem;
  for (let count = 2; !isFree(slug); count++) slug = withSuffix(stem, `-${count}`);
  return slug;
}

function slugOf(label: string): string {
  const words = label
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return cut(words.replace(/^-/, ""), maxSlugLength) || "endpoint";
}

function withSuffix(stem: string, suffix: string): string {
  return cut(stem, maxSlugLength - suffix.length) + suffix;
}

function cut(text: string, length: number): string {
  return trimTrailingCharacter(text.slice(0, length), "-");
}
