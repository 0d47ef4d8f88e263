import { asList, asRecord, type JsonObject } from "../../platform/json-value.ts";
import { childElements, readElementText } from "../document/xml-document.ts";

/** An element of a pom that names a package. */
export interface NamedElement {
  readonly element: JsonObject;
  /** Set where the scope of the element is not its group. */
  readonly group?: string;
  /** The group of a Maven name that has none. */
  readonly usualGroup?: string;
}

/** The group of a plugin without one. */
export const pluginGroup = "org.apache.maven.plugins";

/** Elements of a list of a pom, such as `profiles` and `profile`. */
export function listedElements(
  parent: JsonObject | undefined,
  list: string,
  name: string,
): readonly JsonObject[] {
  return childElements(parent, list).flatMap((each) => childElements(each, name));
}

/** Dependencies that `dependencyManagement` has versions of. */
export function managedElements(pom: JsonObject | undefined): readonly JsonObject[] {
  const [management] = childElements(pom, "dependencyManagement");
  return listedElements(management, "dependencies", "dependency");
}

/** Finds the packages that a pom or a profile names: dependencies, also those of plugins, what runs in its build, and artifacts in settings of plugins. */
export function namedElements(scope: JsonObject): readonly NamedElement[] {
  const plugins = pluginElements(scope);
  const [build] = childElements(scope, "build");
  return [
    ...[scope, ...plugins].flatMap(dependencyElements).map((element) => ({ element })),
    ...plugins.map((element) => ({ element, group: "plugin", usualGroup: pluginGroup })),
    ...listedElements(build, "extensions", "extension").map((element) => ({
      element,
      group: "extension",
    })),
    ...plugins.flatMap(configuredArtifacts).map((element) => ({ element, group: "plugin" })),
  ];
}

/** Finds the plugins of the build and of reports, also plugins that are only managed. */
function pluginElements(scope: JsonObject): readonly JsonObject[] {
  const [build] = childElements(scope, "build");
  const [management] = childElements(build, "pluginManagement");
  return [build, management, childElements(scope, "reporting")[0]].flatMap((parent) =>
    listedElements(parent, "plugins", "plugin"),
  );
}

function dependencyElements(scope: JsonObject): readonly JsonObject[] {
  return listedElements(scope, "dependencies", "dependency");
}

/** Artifacts that settings of a plugin name, such as processors of annotations: it fetches them. */
function configuredArtifacts(plugin: JsonObject): readonly JsonObject[] {
  return [plugin, ...listedElements(plugin, "executions", "execution")]
    .flatMap((each) => childElements(each, "configuration"))
    .flatMap(artifactsIn);
}

/** Filters name artifacts as well, which nothing fetches for them. */
const filters = /^(?:in|ex)clu/;

function artifactsIn(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return asList(value).flatMap(artifactsIn);
  const element = asRecord(value);
  const isArtifact = readElementText(element, "artifactId") !== undefined;
  const below = Object.entries(element)
    .filter(([name]) => !filters.test(name))
    .flatMap(([, child]) => artifactsIn(child));
  return isArtifact ? [element, ...below] : below;
}
