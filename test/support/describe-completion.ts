import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCauseway } from "./causeway-process.ts";
import { startCompletingShell, type CompletingShell } from "./completing-shell.ts";

/** The words under `Commands:` of a help text. */
async function commandsInHelp(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCauseway([...words, "--help"]);
  const [, commands = ""] = /\nCommands:\n(.*?)(?:\n\n|$)/s.exec(stdout) ?? [];
  return [...commands.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
}

/** What every shell must offer with the script that `causeway completion` prints for it. */
export function describeCompletion(name: string): void {
  describe(`causeway completion ${name}`, () => {
    let shell: CompletingShell;

    beforeAll(async () => {
      shell = await startCompletingShell(name);
    });

    afterAll(() => shell.close());

    it("offers the nouns and verbs of the help text", async () => {
      expect((await shell.offered("causeway ")).toSorted()).toEqual(
        (await commandsInHelp()).toSorted(),
      );
      const verbs = await commandsInHelp("keys");
      expect(verbs).toContain("create");
      expect((await shell.offered("causeway keys ")).toSorted()).toEqual(verbs.toSorted());
    });

    it.each([
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
      ["causeway ch", ["chat"]],
      ["causeway chat --s", ["--session", "--system"]],
      ["causeway chat --session items --j", ["--json"]],
      ["causeway items im", ["import"]],
      ["causeway items import --n", ["--name"]],
      ["causeway threads ", ["delete", "get", "help", "list"]],
      ["causeway completion ", ["bash", "fish", "zsh"]],
      ["causeway keys rewrap --p", []],
      ["causeway me show --p", ["--profile"]],
    ])("after %j offers %j", async (line, expected) => {
      expect((await shell.offered(line)).toSorted()).toEqual(expected);
    });
  });
}
