import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCauseway } from "../support/causeway-process.ts";

vi.setConfig({ testTimeout: 60_000 });

const execute = promisify(execFile);

/** Asks a shell that has loaded the script of the file `$1` what can follow the line `$2`. */
const askers: Readonly<Record<string, string>> = {
  bash: `
    source "$1"
    complete -p causeway >/dev/null || exit 1
    COMP_LINE=$2 COMP_POINT=\${#2}
    _causeway
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  // What the completion system of an interactive shell would be told.
  zsh: `
    compdef() { [[ $* == '_causeway causeway' ]] || exit 1 }
    _describe() { local -a described=("\${(@P)2}"); print -l -- "\${(@)described//(#m)[^\\\\]:*/$MATCH[1]}" }
    _files() { }
    compadd() { print -l -- "\${(@P)2}" }
    setopt extended_glob
    source "$1"
    words=("\${(@s: :)2}") CURRENT=$#words PREFIX=$words[-1]
    _causeway`,
  fish: `
    source $argv[1]
    complete -C $argv[2] | string replace -r '\\t.*' ''
    true`,
};

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "causeway-completion-"));
});

afterAll(() => rm(directory, { recursive: true }));

/** The words under `Commands:` of a help text. */
async function commandsInHelp(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCauseway([...words, "--help"]);
  const [, commands = ""] = /\nCommands:\n(.*?)(?:\n\n|$)/s.exec(stdout) ?? [];
  return [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

describe.each(["bash", "zsh", "fish"])("causeway completion %s", (shell) => {
  const here = isInstalled(shell);
  let script: string;

  beforeAll(async () => {
    script = join(directory, shell);
    await writeFile(script, (await runCauseway(["completion", shell])).stdout);
  });

  /** What the shell offers in the place of the last word of a line. */
  async function offered(line: string): Promise<string[]> {
    const asking = askers[shell] ?? "";
    const words = shell === "fish" ? [] : [shell];
    const { stdout } = await execute(shell, ["-c", asking, ...words, script, line]);
    const last = line.split(" ").at(-1) ?? "";
    const lines = stdout.split("\n").filter((word) => word !== "");
    // Zsh is told everything, and picks by itself.
    return shell === "zsh" ? lines.filter((word) => word.startsWith(last)) : lines;
  }

  it.runIf(here)("offers the nouns and verbs of the help text", async () => {
    expect((await offered("causeway ")).toSorted()).toEqual((await commandsInHelp()).toSorted());
    const verbs = await commandsInHelp("keys");
    expect(verbs).toContain("create");
    expect((await offered("causeway keys ")).toSorted()).toEqual(verbs.toSorted());
  });

  it.runIf(here).each([
    [
      "causeway tea",
      [
        "team-audit",
        "team-credits",
        "team-invites",
        "team-items",
        "team-members",
        "team-owners",
        "teams",
      ],
    ],
    ["causeway keys cre", ["create"]],
    ["causeway keys create --r", ["--rate-limit", "--route"]],
    ["causeway keys create --mode ", ["agent", "model"]],
    ["causeway keys create --name list --mode a", ["agent"]],
    ["causeway --profile keys keys l", ["list"]],
    ["causeway completion ", ["bash", "fish", "zsh"]],
    ["causeway keys rewrap --p", []],
    ["causeway me show --p", ["--profile"]],
  ])("after %j offers %j", async (line, expected) => {
    expect((await offered(line)).toSorted()).toEqual(expected);
  });
});

describe("causeway completion", () => {
  it("completes in bash what stands behind a colon", async () => {
    const script = join(directory, "colon");
    await writeFile(script, (await runCauseway(["completion", "bash"])).stdout);
    const line = "causeway keys create --scopes teams:";
    const asked = await execute("bash", ["-c", askers["bash"] ?? "", "bash", script, line]);
    expect(asked.stdout.split("\n").filter(Boolean).toSorted()).toEqual(["read", "write"]);
  });

  it("says which shells it knows", async () => {
    const { code, stderr } = await runCauseway(["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
  });
});
