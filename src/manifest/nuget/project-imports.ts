import { posix } from "node:path";
import type { JsonObject } from "../../platform/json-value.ts";
import type { DeclaredDependencyEntry } from "../declared-file.ts";
import { readXmlElementOrAttributeText, type XmlDocument } from "../document/xml-document.ts";
import {
  listPossibleMsbuildExpansions,
  findXmlDescendantElements,
  type MsbuildProperties,
} from "./project-properties.ts";

/** A package that is part of the build; undefined: its version stands elsewhere. */
interface ProjectSdk {
  readonly name: string;
  readonly version: string | undefined;
  readonly line: number | undefined;
}

/** SDKs that are packages: `Sdk="Name/1.0"` of the project, `<Sdk>` and those of imports. */
export function readDotnetProjectSdks({ root, lineOf }: XmlDocument): readonly ProjectSdk[] {
  const elements = [root, ...findXmlDescendantElements(root, "import")];
  const listed = elements.flatMap((element) =>
    (readXmlElementOrAttributeText(element, "@sdk") ?? "").split(";").map((text) => {
      const [name = "", version] = text.trim().split("/", 2);
      return sdkOf(name, version ?? readXmlElementOrAttributeText(element, "@version"), element);
    }),
  );
  const named = findXmlDescendantElements(root, "sdk").map((element) => {
    const [name, version] = ["@name", "@version"].map((each) =>
      readXmlElementOrAttributeText(element, each),
    );
    return sdkOf(name ?? "", version, element);
  });
  return [...listed, ...named].filter(
    ({ name, version }) => name !== "" && !(version === undefined && isBuiltIn(name)),
  );

  function sdkOf(name: string, version: string | undefined, element: JsonObject): ProjectSdk {
    return { name, version, line: lineOf(element) };
  }
}

/** Part of .NET itself. */
function isBuiltIn(name: string): boolean {
  return /^microsoft\.net\.sdk(?:\.|$)/i.test(name);
}

/** Folder of the files of .NET itself, which every project of the older form imports. */
const toolFiles = /^\$\(MSBuild(?:ToolsPath|BinPath|ExtensionsPath(?:32|64)?)\)[\\/]/i;

/** Files that a project imports: they may name any package, and are not read. */
export function reportUnreadDotnetImports(
  { root, lineOf }: XmlDocument,
  properties: MsbuildProperties,
): readonly DeclaredDependencyEntry[] {
  return findXmlDescendantElements(root, "import")
    .filter((element) => readXmlElementOrAttributeText(element, "@sdk") === undefined)
    .flatMap((element) => {
      const path = readXmlElementOrAttributeText(element, "@project") ?? "";
      const isTool = listPossibleMsbuildExpansions(path, properties).every(
        (each) => toolFiles.test(each) && !each.includes(".."),
      );
      const reason = "include: the file that it imports is not read";
      return isTool ? [] : [{ group: "production", line: lineOf(element), text: path, reason }];
    });
}

/** Folder of the file itself, with a backslash at its end. */
const ownFolder = /^\$\(MSBuild(?:ThisFile|Project)Directory\)[\\/]?/i;

/** Folders of the projects that a project refers to, seen from it, and references that are computed. */
export function readReferencedProjectFolders(
  { root, lineOf }: XmlDocument,
  properties: MsbuildProperties,
): { readonly folders: readonly string[]; readonly computed: readonly DeclaredDependencyEntry[] } {
  const folders = new Set<string>();
  const computed: DeclaredDependencyEntry[] = [];
  for (const element of findXmlDescendantElements(root, "projectreference")) {
    const text = readXmlElementOrAttributeText(element, "@include") ?? "";
    const paths = text
      .split(";")
      .flatMap((each) => listPossibleMsbuildExpansions(each.trim(), properties));
    for (const path of paths) {
      const relative = path.replace(ownFolder, "./").replaceAll("\\", "/");
      if (/[$@%]\(/.test(relative)) {
        const reason = "expression: a property has no value here";
        computed.push({ group: "production", line: lineOf(element), text: path, reason });
      } else if (relative !== "") folders.add(posix.dirname(relative));
    }
  }
  return { folders: [...folders], computed };
}
