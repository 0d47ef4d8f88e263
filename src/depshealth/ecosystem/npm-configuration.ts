import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { trimTrailingCharacter } from "../../platform/trim-character.ts";

/** A registry that the npm configuration names. */
export interface NpmRegistrySetting {
  /** Undefined: for every scope that has none of its own. */
  readonly scope: string | undefined;
  /** Without a slash at its end. */
  readonly base: string;
  readonly token: string | undefined;
}

type Settings = Readonly<Record<string, string>>;

/**
 * The registries of the npm configuration: environment, then the `.npmrc` of
 * the working directory, then that of the user. Empty when none names any. A
 * file that cannot be read counts as empty, as npm has it.
 */
export function readNpmRegistrySettings(
  environment: NodeJS.ProcessEnv,
  directory: string = process.cwd(),
): readonly NpmRegistrySetting[] {
  const settings = npmSettings(environment, directory);
  return Object.entries(settings).flatMap(([name, value]) => {
    const scope = /^(?:(@[^:]+):)?registry$/.exec(name);
    const url = scope === null ? null : URL.parse(value);
    if (scope === null || url === null || !/^https?:$/.test(url.protocol)) return [];
    const base = trimTrailingCharacter(url.origin + url.pathname, "/");
    return [{ scope: scope[1], base, token: tokenFor(url, settings) }];
  });
}

function npmSettings(environment: NodeJS.ProcessEnv, directory: string): Settings {
  const userFile =
    environment["NPM_CONFIG_USERCONFIG"] ??
    environment["npm_config_userconfig"] ??
    join(environment["HOME"] ?? homedir(), ".npmrc");
  return {
    ...readFile(userFile, environment),
    ...readFile(join(directory, ".npmrc"), environment),
    ...ofEnvironment(environment),
  };
}

function ofEnvironment(environment: NodeJS.ProcessEnv): Settings {
  const registry = environment["npm_config_registry"] ?? environment["NPM_CONFIG_REGISTRY"];
  return registry === undefined ? {} : { registry };
}

function readFile(path: string, environment: NodeJS.ProcessEnv): Settings {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return {};
  }
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const equals = line.indexOf("=");
      const name = line.slice(0, Math.max(equals, 0)).trim();
      if (name === "" || name.startsWith(";") || name.startsWith("#")) return [];
      const value = line.slice(equals + 1).trim();
      return [[name, expand(value.replace(/^(["'])(.*)\1$/, "$2"), environment)]];
    }),
  );
}

function expand(value: string, environment: NodeJS.ProcessEnv): string {
  return value.replaceAll(/\$\{([^{}?]+)\??\}/g, (whole, name: string) =>
    Object.hasOwn(environment, name) ? (environment[name] ?? whole) : whole,
  );
}

/** npm writes a token under the address without its scheme; that of a parent folder holds as well. */
function tokenFor(url: URL, settings: Settings): string | undefined {
  let place = `//${url.host}${trimTrailingCharacter(url.pathname, "/")}/`;
  for (;;) {
    const token = settings[`${place}:_authToken`];
    if (token !== undefined) return token;
    const parent = place.slice(0, place.lastIndexOf("/", place.length - 2) + 1);
    if (parent === place || parent === "//") return undefined;
    place = parent;
  }
}
