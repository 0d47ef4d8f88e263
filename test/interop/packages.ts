import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CausewayProcess, programPath } from "../support/causeway-process.ts";

/** What a package manager brings for a client or a judge. */
export interface Packages {
  readonly manager: "npm" | "pip";
  /** As the manager takes them, with or without a version; the first one names the version that is told. */
  readonly names: readonly [string, ...string[]];
}

/** Packages in a folder of their own. */
export interface Installed {
  readonly folder: string;
  /** Of the first package. */
  readonly version: string;
}

const limitMs = 5 * 60_000;

/** Installs them. Rejects with what the manager said where it cannot. */
export async function install(packages: Packages, folder: string): Promise<Installed> {
  await mkdir(folder, { recursive: true });
  const [command, ...words] = installers[packages.manager](folder);
  const child = CausewayProcess.start([...words, ...packages.names], {
    command: [command],
    directory: folder,
    environment: installerEnvironment(),
  });
  const { code, stderr } = await child.ended(limitMs).finally(() => child.signalGroup("SIGKILL"));
  if (code !== 0) throw new Error(lastWords(stderr));
  return { folder, version: await versions[packages.manager](folder, nameOf(packages.names[0])) };
}

const installers: Record<Packages["manager"], (folder: string) => [string, ...string[]]> = {
  npm: (folder) => ["npm", "install", "--loglevel=error", `--prefix=${folder}`, cacheOf(folder)],
  pip: (folder) => [
    "python3",
    "-m",
    "pip",
    "install",
    "--quiet",
    "--no-cache-dir",
    "--target",
    folder,
  ],
};

function cacheOf(folder: string): string {
  return `--cache=${join(folder, ".npm")}`;
}

/** How the person of this machine reaches the registries stands in their settings. */
function installerEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(own), PATH: programPath };
}

const versions: Record<Packages["manager"], (folder: string, name: string) => Promise<string>> = {
  npm: async (folder, name) => {
    const text = await readFile(join(folder, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  },
  pip: async (folder, name) => {
    const prefix = `${name.replaceAll("-", "_")}-`;
    const entries = await readdir(folder);
    const entry = entries.find((one) => one.startsWith(prefix) && one.endsWith(".dist-info"));
    return entry?.slice(prefix.length, -".dist-info".length) ?? "unknown";
  },
};

/** Without its version and its extras. */
function nameOf(specifier: string): string {
  return /^@?[^@=[]+/.exec(specifier)?.[0] ?? specifier;
}

/** The end of what it said, in one line. */
function lastWords(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").slice(-300);
}
