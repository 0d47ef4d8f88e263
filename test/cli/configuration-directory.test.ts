import { describe, expect, it } from "vitest";
import { cliConfigurationDirectory } from "../../src/cli/profile/configuration-directory.ts";

describe("cliConfigurationDirectory()", () => {
  it.each([
    ["linux", { HOME: "/home/ada" }, "/home/ada/.config/causeway"],
    ["linux", { HOME: "/home/ada", XDG_CONFIG_HOME: "/etc/ada" }, "/etc/ada/causeway"],
    ["linux", { HOME: "/home/ada", XDG_CONFIG_HOME: "relative" }, "/home/ada/.config/causeway"],
    ["darwin", { HOME: "/Users/ada" }, "/Users/ada/Library/Application Support/causeway"],
    ["darwin", { HOME: "/Users/ada", XDG_CONFIG_HOME: "/x" }, "/x/causeway"],
    ["win32", { HOME: "/c/ada", APPDATA: "/c/roaming" }, "/c/roaming/causeway"],
    ["win32", { HOME: "/c/ada" }, "/c/ada/AppData/Roaming/causeway"],
  ] as const)("on %s with the environment %j is %s", (platform, environment, expected) => {
    expect(cliConfigurationDirectory(environment, platform)).toBe(expected);
  });
});
