/** Who may import whom: folder of src to what it may import beside itself and npm packages. */
export const mayImport: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  platform: [],
  transport: ["platform", "gen"],
  dialect: ["platform"],
  conformance: ["platform"],
  account: ["platform", "gen"],
  upstream: ["platform", "gen", /^src\/account\/(account|audit)[a-z-]*(\.entity)?\.ts$/],
  vendor: ["platform", "gen", /^src\/account\/(account|audit)[a-z-]*(\.entity)?\.ts$/],
  alias: ["platform", "gen", /^src\/account\/(account|audit|rpc-call)[a-z-]*(\.entity)?\.ts$/],
  wallet: [
    "platform",
    "gen",
    /^src\/account\/(account|audit|money|rpc-call)[a-z-]*(\.entity)?\.ts$/,
  ],
  depshealth: ["platform", "gen"],
  team: [
    "platform",
    "gen",
    /^src\/account\/(account|audit|email-address|names|rewrap|rpc-call|team|token-hasher|user)[a-z-]*(\.entity|\.view)?\.ts$/,
  ],
  gateway: ["platform", "gen", "account", "alias", "upstream", "vendor", "dialect"],
  app: [
    "platform",
    "gen",
    "transport",
    "account",
    "alias",
    "wallet",
    "team",
    "upstream",
    "vendor",
    "depshealth",
    "dialect",
    "gateway",
  ],
  cli: ["gen", "conformance"],
  "main.ts": ["app", "platform", "command-line.ts"],
  "command-line.ts": ["app", "cli"],
};

/** The table also names the files that stand beside the folders. */
export function isFolder(name: string): boolean {
  return !name.endsWith(".ts");
}

/** Folders of which a folder may import no file at all; where it may import some, the architecture test holds it to them. */
export function forbiddenFolders(folder: string): string[] {
  const rules = mayImport[folder] ?? [];
  const isGiven = (other: string): boolean =>
    rules.some((rule) => (typeof rule === "string" ? rule === other : isIn(other, rule)));
  return [...Object.keys(mayImport).filter(isFolder), "gen"].filter(
    (other) => other !== folder && !isGiven(other),
  );
}

function isIn(folder: string, { source }: RegExp): boolean {
  return source.startsWith(String.raw`^src\/${folder}\/`);
}
