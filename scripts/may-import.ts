/** Who may import whom: folder of src to what it may import beside itself and npm packages. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  contract: ["platform", "gen"],
  kernel: ["platform", "gen"],
  transport: ["platform", "gen", "contract"],
  dialect: ["platform"],
  conformance: ["platform"],
  account: ["platform", "gen", "kernel"],
  upstream: ["platform", "gen", "kernel"],
  vendor: ["platform", "gen", "kernel"],
  alias: ["platform", "gen", "kernel"],
  wallet: ["platform", "gen", "kernel"],
  "call-log": ["platform", "gen", "kernel"],
  depshealth: ["platform", "gen"],
  team: ["platform", "gen", "kernel", "account"],
  gateway: ["platform", "gen", "kernel", "dialect"],
  turn: ["platform", "gen", "kernel", "dialect", "agent"],
  agent: ["platform", "gen", "kernel", "dialect"],
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
    "team",
    "upstream",
    "vendor",
    "depshealth",
    "dialect",
    "gateway",
    "turn",
    "agent",
  ],
  cli: ["platform", "gen", "contract", "conformance"],
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
