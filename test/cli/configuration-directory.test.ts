import { describe, expect, it } from "vitest";
import { configurationDirectory } from "../../src/cli/profile/configuration-directory.ts";

describe("configurationDirectory()", () => {
  it.each([
    ["linux", { HOME: "/home/ada" }, "/home/ada/.config/causeway"],
    ["linux", { HOME: "/home/ada", XDG_CONFIG_HOME: "/etc/ada" }, "/etc/ada/causeway"],
    ["linux", { HOME: "/home/ada", XDG_CONFIG_HOME: "relative" }, "/home/ada/.config/causeway"],
    ["darwin", { HOME: "/Users/ada" }, "/Users/ada/Library/Application Support/causeway"],
    ["darwin", { HOME: "/Users/ada", XDG_CONFIG_HOME: "/x" }, "/x/causeway"],
    ["win32", { HOME: "/c/ada", APPDATA: "/c/roaming" }, "/c/roaming/causeway"],
    ["win32", { HOME: "/c/ada" }, "/c/ada/AppData/Roaming/causeway"],
  ] as const)("on %s with the environment %j is %s", (platform, environment, expected) => {
    expect(configurationDirectory(environment, platform)).toBe(expected);
  });
});
