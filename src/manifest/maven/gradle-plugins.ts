import type { GradleCatalogPlugin } from "./gradle-catalog.ts";
import { expandGradleVariables } from "./gradle-variables.ts";

/** Reason for plugins of Gradle. Every build has some, so that an audit does not fail for them by default. */
export const unsupportedGradlePluginRegistryReason =
  "unsupported_registry: plugins of Gradle have a registry of their own, which is not supported";

/** A plugin of Gradle's own registry, or a call that names its plugin by an expression. */
export type GradlePlugin =
  | { readonly id: string; readonly version: string | undefined }
  | { readonly expression: string };

/**
 * The plugins that a line names with a version: `id("x") version "1"`, also with dots, and
 * `kotlin("x")`; and those of `alias(libs.plugins.x)`. A plugin without a version is part of
 * Gradle, or its version stands where the build declares it. `next` is the line behind it, where
 * the call may go on.
 */
export function findGradlePluginsOnLine(
  line: string,
  next: string,
  catalog: ReadonlyMap<string, GradleCatalogPlugin>,
  variables: ReadonlyMap<string, string>,
): readonly GradlePlugin[] {
  if (!/(?<![\w.])(?:id|kotlin|alias)\b/.test(line)) return [];
  const goesOn = /^\s*\.\s*version\b/.test(next) || /\bversion\s*$/.test(line);
  const code = goesOn ? `${line} ${next.trim()}` : line;
  const calls = code
    .split(/(?<![\w.])(?=(?:id|kotlin|alias)\b)/)
    .slice(/^(?:id|kotlin|alias)\b/.test(code) ? 0 : 1);
  return calls.flatMap((call) => pluginOf(call, catalog, variables) ?? []);
}

function pluginOf(
  call: string,
  catalog: ReadonlyMap<string, GradleCatalogPlugin>,
  variables: ReadonlyMap<string, string>,
): GradlePlugin | undefined {
  const [, word, quoted, name] =
    /^(id|kotlin|alias)\b[\s(]*(?:["']([^"']*)["']|([A-Za-z_][\w.]*))/.exec(call) ?? [];
  if (word === undefined) return undefined;
  if (word === "alias") {
    const alias = (name ?? "").split(".plugins.").slice(1).join(".plugins.");
    return (
      (name?.startsWith("libs.") === true ? catalog.get(alias) : undefined) ?? { expression: call }
    );
  }
  const [, behind] = /\bversion\b(?!\s*=)([^]*)$/.exec(call) ?? [];
  if (behind === undefined) return undefined;
  const id =
    quoted === undefined ? undefined : idOf(word, expandGradleVariables(quoted, variables));
  if (id === undefined) return { expression: call };
  const [, version = ""] = /^[\s(]*["']([^"']*)["']/.exec(behind) ?? [];
  return { id, version: plainText(expandGradleVariables(version, variables)) };
}

function idOf(word: string, text: string): string | undefined {
  return plainText(word === "kotlin" ? `org.jetbrains.kotlin.${text}` : text);
}

function plainText(text: string): string | undefined {
  return /^[\w.+-]{1,200}$/.test(text) ? text : undefined;
}
