import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import type { Ecosystem } from "../../../src/depshealth/facts.ts";
import { rustsecDocument, type RustsecFrontMatter } from "./rustsec-document.ts";
import type { OsvDocument } from "./database-record.ts";

/** A database of advisories as it lies in a folder. */
export interface Database {
  readonly name: string;
  readonly ecosystem: Ecosystem;
  /** As the database spells it. */
  readonly filedAs: string;
  readonly documents: readonly OsvDocument[];
}

/** The databases whose checkouts lie in the folder, by what is in them. */
export function readDatabases(folder: string): readonly Database[] {
  const { cargoName } = resolveRegistryAddresses({});
  const databases: readonly Database[] = [
    {
      name: "RustSec advisory-db",
      ecosystem: "cargo",
      filedAs: cargoName,
      documents: filesOf(folder, "*/crates/*/RUSTSEC-*.md").map((text) => rustsec(text, cargoName)),
    },
    {
      name: "PyPA advisory-database",
      ecosystem: "pypi",
      filedAs: "PyPI",
      documents: filesOf(folder, "*/vulns/*/PYSEC-*.yaml").map(yaml),
    },
    {
      name: "Go vulndb",
      ecosystem: "go",
      filedAs: "Go",
      documents: filesOf(folder, "*/data/osv/GO-*.json").map((text) => JSON.parse(text)),
    },
  ];
  return databases.filter(({ documents }) => documents.length > 0);
}

function filesOf(folder: string, pattern: string): readonly string[] {
  return globSync(pattern, { cwd: folder }).map((file) => readFileSync(join(folder, file), "utf8"));
}

/** Times stay texts, as in JSON. */
function yaml(text: string): OsvDocument {
  return parseYaml(text, { schema: "core" }) as OsvDocument;
}

function rustsec(text: string, filedAs: string): OsvDocument {
  const [, head = "", body = ""] = /^```toml\n(.*?)\n```\s*(.*)$/s.exec(text) ?? [];
  return rustsecDocument(parseToml(head) as unknown as RustsecFrontMatter, body, filedAs);
}
