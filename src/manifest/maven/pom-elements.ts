import { asArrayOrEmpty, asJsonObjectOrEmpty, type JsonObject } from "../../platform/json-value.ts";
import { findXmlChildElements, readXmlElementOrAttributeText } from "../document/xml-document.ts";

/** An element of a pom that names a package. */
export interface PomPackageElement {
  readonly element: JsonObject;
  /** Set where the scope of the element is not its group. */
  readonly group?: string;
  /** The group of a Maven name that has none. */
  readonly usualGroup?: string;
}

/** The group of a plugin without one. */
export const defaultMavenPluginGroup = "org.apache.maven.plugins";

/** Elements of a list of a pom, such as `profiles` and `profile`. */
export function findPomListElements(
  parent: JsonObject | undefined,
  list: string,
  name: string,
): readonly JsonObject[] {
  return findXmlChildElements(parent, list).flatMap((each) => findXmlChildElements(each, name));
}

/** Dependencies that `dependencyManagement` has versions of. */
export function findManagedDependencyElements(pom: JsonObject | undefined): readonly JsonObject[] {
  const [management] = findXmlChildElements(pom, "dependencyManagement");
  return findPomListElements(management, "dependencies", "dependency");
}

/** Finds the packages that a pom or a profile names: dependencies, also those of plugins, what runs in its build, and artifacts in settings of plugins. */
export function findPomPackageElements(scope: JsonObject): readonly PomPackageElement[] {
  const plugins = pluginElements(scope);
  const [build] = findXmlChildElements(scope, "build");
  return [
    ...[scope, ...plugins].flatMap(dependencyElements).map((element) => ({ element })),
    ...plugins.map((element) => ({
      element,
      group: "plugin",
      usualGroup: defaultMavenPluginGroup,
    })),
    ...findPomListElements(build, "extensions", "extension").map((element) => ({
      element,
      group: "extension",
    })),
    ...plugins.flatMap(configuredArtifacts).map((element) => ({ element, group: "plugin" })),
  ];
}

/** Finds the plugins of the build and of reports, also plugins that are only managed. */
function pluginElements(scope: JsonObject): readonly JsonObject[] {
  const [build] = findXmlChildElements(scope, "build");
  const [management] = findXmlChildElements(build, "pluginManagement");
  return [build, management, findXmlChildElements(scope, "reporting")[0]].flatMap((parent) =>
    findPomListElements(parent, "plugins", "plugin"),
  );
}

function dependencyElements(scope: JsonObject): readonly JsonObject[] {
  return findPomListElements(scope, "dependencies", "dependency");
}

/** Artifacts that settings of a plugin name, such as processors of annotations: it fetches them. */
function configuredArtifacts(plugin: JsonObject): readonly JsonObject[] {
  return [plugin, ...findPomListElements(plugin, "executions", "execution")]
    .flatMap((each) => findXmlChildElements(each, "configuration"))
    .flatMap(artifactsIn);
}

/** Filters name artifacts as well, which nothing fetches for them. */
const filters = /^(?:in|ex)clu/;

function artifactsIn(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return asArrayOrEmpty(value).flatMap(artifactsIn);
  const element = asJsonObjectOrEmpty(value);
  const isArtifact = readXmlElementOrAttributeText(element, "artifactId") !== undefined;
  const below = Object.entries(element)
    .filter(([name]) => !filters.test(name))
    .flatMap(([, child]) => artifactsIn(child));
  return isArtifact ? [element, ...below] : below;
}
