import type { ShellCompletionCommand, ShellCompletionWord } from "./command-table.ts";
import { quoteShellWord } from "../../platform/shell-word.ts";

/** A script that completes `causeway` in bash, 3.2 and later. */
export function buildBashCompletionScript(places: readonly ShellCompletionCommand[]): string {
  return `# Completes causeway in bash: source <(causeway completion bash)

# Words that can follow the command $1.
_causeway_words() {
  case "$1" in
${places.flatMap(({ path, words }) => wordCase(path, words)).join("\n")}
  esac
}

# Flags of the command $1.
_causeway_flags() {
  case "$1" in
${places.flatMap(({ path, flags }) => wordCase(path, flags)).join("\n")}
  esac
}

# What can follow the flag $2 of the command $1; fails where nothing has to.
_causeway_values() {
  case "$1 $2" in
${places.flatMap(valueCases).join("\n")}
    *) return 1 ;;
  esac
}

_causeway() {
  local line=\${COMP_LINE:0:COMP_POINT} current='' place='' last='' offered word
  local -a words
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    current=\${words[\${#words[@]} - 1]}
    unset "words[\${#words[@]} - 1]"
  fi
  for word in "\${words[@]:1}"; do
    if [[ -n $last ]]; then
      last=''
    elif _causeway_values "$place" "$word" >/dev/null; then
      last=$word
    elif [[ " $(_causeway_words "$place") " == *" $word "* ]]; then
      place=\${place:+$place }$word
    fi
  done
  if [[ -n $last ]]; then
    offered=$(_causeway_values "$place" "$last")
  elif [[ $current == -* ]]; then
    offered=$(_causeway_flags "$place")
  else
    offered=$(_causeway_words "$place")
  fi
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  # What stands before a colon is a word of its own to bash, and stays as it is.
  if [[ $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*:}"}"}")
  fi
}

# Where nothing is known, files.
complete -o default -F _causeway causeway
`;
}

function wordCase(path: string, words: readonly ShellCompletionWord[]): string[] {
  const texts = words.map(({ text }) => text);
  return texts.length === 0
    ? []
    : [`    ${quoteShellWord(path)}) echo ${quoteShellWord(texts.join(" "))} ;;`];
}

function valueCases({ path, flags }: ShellCompletionCommand): string[] {
  const withValue = flags.filter(({ takesValue }) => takesValue);
  return withValue.map(
    ({ text, values }) =>
      `    ${quoteShellWord(`${path} ${text}`)}) echo ${quoteShellWord(values.join(" "))} ;;`,
  );
}
