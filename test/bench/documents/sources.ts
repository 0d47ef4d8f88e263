import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import type { OpenApiDiffDocument } from "../../../src/cli/services/diff/open-api-document.ts";
import { parseOpenApiDocument } from "../../../src/cli/services/diff/read-open-api.ts";
import { runIn } from "./learners/in-directory.ts";

/** An interface that is known. */
export interface Source {
  readonly name: string;
  readonly document: OpenApiDiffDocument;
}

/** Public documents in npm packages, both packages under the MIT licence. */
const packages = ["@scalar/galaxy@0.6.12", "@readme/oas-examples@8.2.2"];
const files: Readonly<Record<string, string>> = {
  galaxy: "@scalar/galaxy/dist/3.1.json",
  petstore: "@readme/oas-examples/3.1/json/petstore.json",
  uspto: "@readme/oas-examples/3.0/json/uspto.json",
  readme: "@readme/oas-examples/3.1/json/readme.json",
};

/** Installs the packages into a directory and reads the documents; nothing of them is kept. */
export async function publicSources(directory: string): Promise<Source[]> {
  await runIn(directory, "npm", ["init", "--yes"]);
  await runIn(directory, "npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    ...packages,
  ]);
  return Promise.all(
    Object.entries(files).map(async ([name, file]) => {
      return { name, document: await readSource(join(directory, "node_modules", file)) };
    }),
  );
}

/** The documents in a folder, JSON or YAML. */
export async function folderSources(folder: string): Promise<Source[]> {
  const names = (await readdir(folder)).filter((name) => /\.(json|ya?ml)$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => ({ name, document: await readSource(join(folder, name)) })),
  );
}

/** The interface of a running service of this project. */
export async function ownSource(name: string, url: string): Promise<Source> {
  const answer = await fetch(`${url}/openapi.json`);
  const root = (await answer.json()) as JsonValue;
  return { name, document: parseOpenApiDocument(name, JSON.stringify(root)) };
}

async function readSource(file: string): Promise<OpenApiDiffDocument> {
  return parseOpenApiDocument(file, await readFile(file, "utf8"));
}
