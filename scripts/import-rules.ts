/** Who may import whom: folder of src to what it may import beside itself and npm packages. */
export const importRules: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  contract: ["platform", "gen"],
  domain: ["platform", "gen", "contract"],
  transport: ["platform", "gen", "contract"],
  dialect: ["platform"],
  conformance: ["platform"],
  account: ["platform", "gen", "contract", "domain"],
  upstream: ["platform", "gen", "contract", "domain"],
  "model-vendor": ["platform", "gen", "contract", "domain"],
  alias: ["platform", "gen", "contract", "domain"],
  wallet: ["platform", "gen", "contract", "domain"],
  "call-log": ["platform", "gen", "contract", "domain"],
  document: ["platform", "gen", "domain"],
  manifest: ["platform"],
  depshealth: ["platform", "gen", "manifest"],
  team: ["platform", "gen", "contract", "domain", "account"],
  gateway: ["platform", "gen", "contract", "domain", "dialect"],
  turn: ["platform", "gen", "domain", "dialect", "agent"],
  agent: ["platform", "gen", "contract", "domain", "dialect"],
  app: [
    "platform",
    "gen",
    "contract",
    "domain",
    "transport",
    "account",
    "alias",
    "wallet",
    "call-log",
    "document",
    "team",
    "upstream",
    "model-vendor",
    "depshealth",
    "dialect",
    "gateway",
    "turn",
    "agent",
  ],
  client: ["gen"],
  cli: ["platform", "gen", "contract", "conformance", "manifest"],
  "main.ts": ["app", "platform", "command-line.ts"],
  "command-line.ts": ["app", "cli"],
};

/** The table also names the files that stand beside the folders. */
export function isFolder(name: string): boolean {
  return !name.endsWith(".ts");
}

/** Folders that the files of a folder may not import. */
export function forbiddenFolders(folder: string): string[] {
  const given = importRules[folder] ?? [];
  return [...Object.keys(importRules).filter(isFolder), "gen"].filter(
    (other) => other !== folder && !given.includes(other),
  );
}
