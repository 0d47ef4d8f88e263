import type { SiblingFileReader } from "../dependency-file.ts";

/** How far up the folder of the whole project may be. */
const maxParentFolders = 5;

/** Names of properties that a `.mvn/maven.config`, here or in a folder above, gives to Maven with `-D`: they come before those of any pom. */
export function readMavenConfigPropertyNames(beside: SiblingFileReader): ReadonlySet<string> {
  for (let up = 0; up <= maxParentFolders; up += 1) {
    const text = beside(`${"../".repeat(up)}.mvn/maven.config`);
    if (text !== undefined) return new Set(definedIn(text));
  }
  return new Set();
}

/** `-Dname=value`, `-D name=value`, `--define name=value`, `--define=name=value`. */
function definedIn(text: string): readonly string[] {
  const words = text.split(/\s+/).map((word) => word.replaceAll(/["']/g, ""));
  return words.flatMap((word, at) => {
    const [, rest] = /^(?:-D|--define(?:=|$))(.*)$/.exec(word) ?? [];
    if (rest === undefined) return [];
    return [((rest === "" ? words[at + 1] : rest) ?? "").split("=", 1)[0] ?? ""];
  });
}
