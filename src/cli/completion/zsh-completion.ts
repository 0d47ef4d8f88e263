import type { ShellCompletionCommand, ShellCompletionWord } from "./command-table.ts";
import { quoteShellWord } from "../../platform/shell-word.ts";

/** A script that completes `causeway` in zsh, sourced or as `_causeway` in a folder of `fpath`. */
export function buildZshCompletionScript(places: readonly ShellCompletionCommand[]): string {
  return `#compdef causeway
# Completes causeway in zsh: source <(causeway completion zsh)

# Sets \`words_here\` and \`flags_here\`, what can follow the command $1.
_causeway_at() {
  words_here=() flags_here=()
  case "$1" in
${places.map(placeCase).join("\n")}
  esac
}

# Sets \`values_here\`, what can follow the flag $2 of the command $1; fails where nothing has to.
_causeway_values() {
  values_here=()
  case "$1 $2" in
${places.flatMap(valueCases).join("\n")}
    *) return 1 ;;
  esac
}

_causeway() {
  local place='' last='' word
  local -a words_here flags_here values_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    _causeway_at "$place"
    if [[ -n $last ]]; then
      last=''
    elif _causeway_values "$place" "$word"; then
      last=$word
    elif (( \${words_here[(I)\${(b)word}:*]} )); then
      place="\${place:+$place }$word"
    fi
  done
  _causeway_at "$place"
  if [[ -n $last ]]; then
    _causeway_values "$place" "$last"
    if (( $#values_here )); then compadd -a values_here; else _files; fi
  elif [[ $PREFIX == -* ]]; then
    _describe flag flags_here
  elif (( $#words_here )); then
    _describe command words_here
  else
    _files
  fi
}

if [[ "\${funcstack[1]}" == _causeway ]]; then _causeway "$@"; else compdef _causeway causeway; fi
`;
}

function placeCase({ path, words, flags }: ShellCompletionCommand): string {
  const lists = `words_here=(${describedList(words)}) flags_here=(${describedList(flags)})`;
  return `    ${quoteShellWord(path)}) ${lists} ;;`;
}

/** A colon ends the word and begins its description. */
function describedList(words: readonly ShellCompletionWord[]): string {
  return words
    .map(({ text, meaning }) =>
      quoteShellWord(`${text.replaceAll(":", String.raw`\:`)}:${meaning}`),
    )
    .join(" ");
}

function valueCases({ path, flags }: ShellCompletionCommand): string[] {
  const withValue = flags.filter(({ takesValue }) => takesValue);
  return withValue.map(
    ({ text, values }) =>
      `    ${quoteShellWord(`${path} ${text}`)}) values_here=(${values.map(quoteShellWord).join(" ")}) ;;`,
  );
}
