import { Argument, type Command } from "commander";
import { buildBashCompletionScript } from "./bash-completion.ts";
import { buildShellCompletionTable, type ShellCompletionCommand } from "./command-table.ts";
import { buildFishCompletionScript } from "./fish-completion.ts";
import { buildZshCompletionScript } from "./zsh-completion.ts";

type Shell = "bash" | "zsh" | "fish";

const scripts: Readonly<Record<Shell, (places: readonly ShellCompletionCommand[]) => string>> = {
  bash: buildBashCompletionScript,
  zsh: buildZshCompletionScript,
  fish: buildFishCompletionScript,
};

const loading = `
Load it at the start of each shell:
  bash  source <(causeway completion bash)         in ~/.bashrc
  zsh   source <(causeway completion zsh)          in ~/.zshrc, after compinit
  fish  causeway completion fish | source          in ~/.config/fish/config.fish
docs/command-line.md says how the shell gets to know the command itself.`;

/** Adds `completion`, which prints a script made of the very commands that `program` has. */
export function addCompletionCommand(program: Command): void {
  const shell = new Argument("<shell>", "the shell").choices(Object.keys(scripts));
  program
    .command("completion")
    .description("prints a script that completes nouns, verbs and flags in a shell")
    .addArgument(shell)
    .addHelpText("after", loading)
    .action((name: Shell) => {
      process.stdout.write(scripts[name](buildShellCompletionTable(program)));
    });
}
