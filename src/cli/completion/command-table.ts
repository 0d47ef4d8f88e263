import type { Argument, Command, Option } from "commander";

/** A word that can be typed, and what it means. */
export interface ShellCompletionWord {
  readonly text: string;
  readonly meaning: string;
}

/** A flag in its long form. */
export interface ShellCompletionFlag extends ShellCompletionWord {
  /** Whether a word of its own must follow. */
  readonly takesValue: boolean;
  /** What that word may be; empty: anything. */
  readonly values: readonly string[];
}

/** What can be typed after the words of a command. */
export interface ShellCompletionCommand {
  /** `keys list`; empty for `causeway` alone. */
  readonly path: string;
  /** Commands below it, and values of its argument where these are known. */
  readonly words: readonly ShellCompletionWord[];
  readonly flags: readonly ShellCompletionFlag[];
}

/** Every place of a command line, from the commands that the program itself is parsed by. */
export function buildShellCompletionTable(program: Command): readonly ShellCompletionCommand[] {
  return placesOf(program, "");
}

function placesOf(command: Command, path: string): ShellCompletionCommand[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const place = {
    path,
    words: [...children.map(commandWord), ...command.registeredArguments.flatMap(valueWords)],
    flags: options.flatMap(flagOf),
  };
  const below = children.flatMap((child) => placesOf(child, `${path} ${child.name()}`.trim()));
  return [place, ...below];
}

function commandWord(command: Command): ShellCompletionWord {
  return { text: command.name(), meaning: firstLine(command.description()) };
}

function valueWords({ argChoices = [], description }: Argument): ShellCompletionWord[] {
  return argChoices.map((text) => ({ text, meaning: firstLine(description) }));
}

function flagOf({ long, description, required, argChoices = [] }: Option): ShellCompletionFlag[] {
  if (!long) return [];
  const meaning = firstLine(description);
  return [{ text: long, meaning, takesValue: required, values: argChoices }];
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
