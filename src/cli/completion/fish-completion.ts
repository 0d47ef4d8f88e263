import type {
  ShellCompletionCommand,
  ShellCompletionFlag,
  ShellCompletionWord,
} from "./command-table.ts";

/** A script that completes `causeway` in fish. */
export function buildFishCompletionScript(places: readonly ShellCompletionCommand[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== "");
  const early = places.filter(({ words }) => words.length > 0).flatMap(({ flags }) => flags);
  const skipped = new Set(early.filter(({ takesValue }) => takesValue).map(({ text }) => text));
  return `# Completes causeway in fish: causeway completion fish | source

set -g __causeway_places ${paths.map(quoteWord).join(" ")}

# Whether the words so far are the command $argv[1].
function __causeway_at
    set -l place ''
    set -l is_value no
    for word in (commandline -opc)[2..-1]
        if test $is_value = yes
            set is_value no
        else if contains -- $word ${[...skipped].join(" ")}
            set is_value yes
        else
            set -l longer (string trim -- "$place $word")
            contains -- $longer $__causeway_places; and set place $longer
        end
    end
    test "$place" = "$argv[1]"
end

${places.flatMap(rulesOf).join("\n")}
`;
}

function rulesOf({ path, words, flags }: ShellCompletionCommand): string[] {
  const rule = `complete -c causeway -n ${quoteWord(`__causeway_at ${quoteWord(path)}`)}`;
  return [
    ...words.map((word) => `${rule} -f -a ${quoteWord(word.text)}${meaningOf(word)}`),
    ...flags.map((flag) => `${rule} -l ${flag.text.slice(2)}${valueOf(flag)}${meaningOf(flag)}`),
  ];
}

function valueOf({ takesValue, values }: ShellCompletionFlag): string {
  if (!takesValue) return "";
  return values.length === 0 ? " -r" : ` -x -a ${quoteWord(values.join(" "))}`;
}

function meaningOf({ meaning }: ShellCompletionWord): string {
  return meaning === "" ? "" : ` -d ${quoteWord(meaning)}`;
}

/** In single quotes of fish a backslash takes the meaning of a quote and of itself. */
function quoteWord(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
