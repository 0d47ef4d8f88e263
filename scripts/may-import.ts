/** Who may import whom: folder of src to what it may import beside itself and npm packages. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  contract: ["platform", "gen"],
  kernel: ["platform", "gen", "contract"],
  transport: ["platform", "gen", "contract"],
  dialect: ["platform"],
  conformance: ["platform"],
  account: ["platform", "gen", "contract", "kernel"],
  upstream: ["platform", "gen", "contract", "kernel"],
  vendor: ["platform", "gen", "contract", "kernel"],
  alias: ["platform", "gen", "contract", "kernel"],
  wallet: ["platform", "gen", "contract", "kernel"],
  "call-log": ["platform", "gen", "contract", "kernel"],
  document: ["platform", "gen", "kernel"],
  manifest: ["platform"],
  depshealth: ["platform", "gen", "manifest"],
  team: ["platform", "gen", "contract", "kernel", "account"],
  gateway: ["platform", "gen", "contract", "kernel", "dialect"],
  turn: ["platform", "gen", "kernel", "dialect", "agent"],
  agent: ["platform", "gen", "contract", "kernel", "dialect"],
  app: [
    "platform",
    "gen",
    "contract",
    "kernel",
    "transport",
    "account",
    "alias",
    "wallet",
    "call-log",
    "document",
    "team",
    "upstream",
    "vendor",
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
  const given = mayImport[folder] ?? [];
  return [...Object.keys(mayImport).filter(isFolder), "gen"].filter(
    (other) => other !== folder && !given.includes(other),
  );
}
