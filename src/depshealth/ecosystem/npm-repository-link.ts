import { truncateToOneLine, asUrlWithinLengthLimit } from "../fetch/source-text.ts";
import { recordToMap } from "../../platform/lookup-table.ts";
import { asJsonObjectOrEmpty } from "../../platform/json-value.ts";
import type { PackageRepositoryLink } from "./registry.ts";

const shorthandHosts = recordToMap<string>({
  github: "https://github.com/",
  gitlab: "https://gitlab.com/",
  bitbucket: "https://bitbucket.org/",
});

/**
 * The repository of an npm manifest in any of its forms: a text, an object, a
 * list of these, `owner/name`, `gitlab:owner/name`. Empty when there is none.
 * Lists in lists are no form of it.
 */
export function toNpmRepositoryLinks(value: unknown): readonly PackageRepositoryLink[] {
  const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, 5) : [value];
  return values.flatMap(linkOf);
}

function linkOf(value: unknown): readonly PackageRepositoryLink[] {
  const text =
    asUrlWithinLengthLimit(value) ?? asUrlWithinLengthLimit(asJsonObjectOrEmpty(value)["url"]);
  if (text === undefined) return [];
  return [
    {
      url: unfold(text.trim()),
      directory: truncateToOneLine(asJsonObjectOrEmpty(value)["directory"]) ?? null,
    },
  ];
}

function unfold(text: string): string {
  // Groups in groups there are at GitLab alone.
  const [, host = "github", path] =
    /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+?)(?:#.*)?$/.exec(text) ??
    /^(gitlab):([\w.-]+(?:\/[\w.-]+)+?)(?:#.*)?$/.exec(text) ??
    [];
  return path === undefined ? text : `${shorthandHosts.get(host) ?? ""}${path}`;
}
