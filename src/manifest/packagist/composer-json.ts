import {
  asJsonObjectOrEmpty,
  asNonBlankString,
  type JsonObject,
} from "../../platform/json-value.ts";
import { declaredEntriesToDependencyFile, type DeclaredDependencyEntry } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { parseJsonObject } from "../document/json-document.ts";
import {
  toGitDownloadSource,
  defaultPackageDownloadSource,
  toRegistryDownloadSource,
  type PackageDownloadOrigin,
} from "../origin.ts";
import { createJsonMemberLineLookup } from "../document/member-lines.ts";
import { composerBranchUnparsedReason, parseComposerConstraint } from "./composer-constraint.ts";

/** PHP, its extensions and libraries, and Composer itself have no vendor. */
const platformName = /^(?:php(?:-[\w-]+)?|hhvm|(?:ext|lib)-[^/]+|composer(?:-\w+-api)?)$/i;

/** Reads a composer.json: `require` and `require-dev` without what stands for PHP itself. */
export function parseComposerJson(text: string): DependencyFile {
  const manifest = parseJsonObject(text);
  const lines = createJsonMemberLineLookup(text);
  const entries = ["require", "require-dev"].flatMap((member) =>
    Object.entries(asJsonObjectOrEmpty(manifest[member]))
      .filter(([name]) => !platformName.test(name))
      .flatMap(([name, value]) =>
        entriesOf(name, String(value), {
          group: member === "require" ? "production" : "development",
          line: lines(member, name),
        }),
      ),
  );
  const sources = repositoryEntries(manifest["repositories"], (at) => lines("repositories", at));
  return declaredEntriesToDependencyFile("packagist", [...entries, ...sources]);
}

/** Repositories come before the registry; one of version control or a folder may have any package. */
function repositoryEntries(
  value: unknown,
  lineOf: (at: string | number) => number | undefined,
): DeclaredDependencyEntry[] {
  const repositories = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(asJsonObjectOrEmpty(value));
  return repositories.flatMap(([at, repository]): DeclaredDependencyEntry[] => {
    const place = { group: "production", line: lineOf(at) };
    const { hosts = [], reason, address } = repositoryOrigin(asJsonObjectOrEmpty(repository));
    if (reason !== undefined) {
      return [
        { ...place, text: "repositories", reason, ...(address !== undefined && { address }) },
      ];
    }
    return hosts.map((host) => ({
      ...place,
      text: host,
      reason: "registry: its packages may come from this host",
    }));
  });
}

function repositoryOrigin({ type, url }: JsonObject): PackageDownloadOrigin {
  if (type === undefined) return defaultPackageDownloadSource;
  if (type === "composer") return toRegistryDownloadSource("packagist", asNonBlankString(url));
  if (type === "path" || type === "artifact") return { reason: "local" };
  return type === "package"
    ? { reason: "url: a package of its own" }
    : toGitDownloadSource(asNonBlankString(url));
}

/** A requirement that allows a branch or a release is reported, and assessed as well. */
function entriesOf(
  name: string,
  requested: string,
  at: {
    readonly group: string;
    readonly line: number | undefined;
  },
): DeclaredDependencyEntry[] {
  if (!name.includes("/")) return [{ ...at, text: name, reason: "invalid_name: it has no vendor" }];
  const { hasBranch, releases, version } = parseComposerConstraint(requested);
  const branch = {
    ...at,
    name,
    text: `${name} ${requested}`,
    reason: composerBranchUnparsedReason,
  };
  const entry = { ...at, name, ...(version !== undefined && { version }) };
  return [
    ...(hasBranch ? [branch] : []),
    ...(releases === undefined ? [] : [{ ...entry, requested: releases }]),
  ];
}
