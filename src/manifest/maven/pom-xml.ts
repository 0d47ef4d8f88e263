import type { JsonObject } from "../../platform/json-value.ts";
import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import type { Beside, DependencyFile } from "../dependency-file.ts";
import { elements, elementText, xmlDocument, type XmlDocument } from "../document/xml-document.ts";
import { pomContext, type PomContext } from "./pom-context.ts";

/**
 * Reads a pom.xml: its dependencies, those of profiles and plugins, and what it
 * imports. Versions come from properties and `dependencyManagement`, also of
 * parents that stand in the same project.
 */
export function readPom(text: string, beside: Beside): DependencyFile {
  const document = xmlDocument(text, "project");
  const skipped: DeclaredEntry[] = [];
  const context = pomContext(document.root, beside, ({ path, reason }) => {
    skipped.push({ group: "production", text: path, reason: `include: ${reason}` });
  });
  const [build] = elements(document.root, "build");
  const profiles = elements(elements(document.root, "profiles")[0], "profile");
  const entriesOf = (found: readonly JsonObject[], within: PomContext) =>
    found.map((element) => entryOf(element, within, document));
  const scopes = [
    { scope: document.root, within: context },
    ...profiles.map((scope) => ({ scope, within: context.within(scope) })),
  ];
  return declaredFile("maven", [
    ...scopes.flatMap(({ scope, within }) => entriesOf(dependencyElements(scope), within)),
    ...entriesOf(
      elements(elements(build, "plugins")[0], "plugin").flatMap(dependencyElements),
      context,
    ),
    ...scopes.flatMap(({ within }) => entriesOf(within.imported, within)),
    ...skipped,
  ]);
}

function dependencyElements(scope: JsonObject): readonly JsonObject[] {
  return elements(elements(scope, "dependencies")[0], "dependency");
}

function entryOf(element: JsonObject, context: PomContext, { lineOf }: XmlDocument): DeclaredEntry {
  const line = lineOf(element);
  const { name, unresolved } = context.nameOf(element);
  const scope = elementText(element, "scope") ?? context.managedScope(name);
  const group = groupOf(scope, elementText(element, "optional"));
  if (unresolved !== undefined) {
    return { group, line, text: name, reason: `expression: ${unresolved} has no value here` };
  }
  if (scope === "system") return { group, line, text: name, reason: "local" };
  const requested = context.versionOf(element, name) ?? null;
  if (requested?.includes("${") === true) return { group, line, name, requested };
  const version = exactVersion(requested);
  return { group, line, name, requested, ...(version !== undefined && { version }) };
}

function groupOf(scope: string | undefined, optional: string | undefined): string {
  if (scope === "test") return "test";
  if (optional === "true") return "optional";
  return scope === "provided" || scope === "import" ? scope : "production";
}

/** A version without brackets is what Maven takes, unless a nearer one wins; `[1.0]` is just that. */
function exactVersion(requested: string | null): string | undefined {
  if (requested === null) return undefined;
  if (/^(LATEST|RELEASE)$/.test(requested)) return undefined;
  return (
    /^\[([^,\s]+)\]$/.exec(requested)?.[1] ?? (/[[(,]/.test(requested) ? undefined : requested)
  );
}
