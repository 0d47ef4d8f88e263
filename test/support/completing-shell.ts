import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runCauseway } from "./causeway-process.ts";

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

/** A shell that has what `causeway completion` prints for it. */
export interface CompletingShell {
  /** What it offers in the place of the last word of a line. */
  offered(line: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Prints the script of an installed shell, for it to load with each question. */
export async function startCompletingShell(shell: string): Promise<CompletingShell> {
  const directory = await mkdtemp(join(tmpdir(), "causeway-completion-"));
  const script = join(directory, shell);
  await writeFile(script, (await runCauseway(["completion", shell])).stdout);
  return {
    async offered(line) {
      const asking = askers[shell] ?? "";
      const words = shell === "fish" ? [] : [shell];
      const { stdout } = await execute(shell, ["-c", asking, ...words, script, line]);
      const last = line.split(" ").at(-1) ?? "";
      const lines = stdout.split("\n").filter((word) => word !== "");
      // Zsh is told everything, and picks by itself.
      return shell === "zsh" ? lines.filter((word) => word.startsWith(last)) : lines;
    },
    close: () => rm(directory, { recursive: true }),
  };
}
