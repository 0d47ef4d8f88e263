import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where a user's settings of this program lie: below `XDG_CONFIG_HOME` where it is
 * set (XDG Base Directory Specification: a relative one is ignored), else where the
 * platform has them.
 */
export function cliConfigurationDirectory(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CONFIG_HOME: chosen = "", APPDATA: appData } = environment;
  if (isAbsolute(chosen)) return join(chosen, "causeway");
  const home = environment["HOME"] || homedir();
  if (platform === "darwin") return join(home, "Library", "Application Support", "causeway");
  if (platform === "win32") return join(appData || join(home, "AppData", "Roaming"), "causeway");
  return join(home, ".config", "causeway");
}
