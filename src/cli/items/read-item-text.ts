import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { readWholeRegularFile } from "../regular-file.ts";
import { InvalidAgentExtensionFileError } from "./item-draft.ts";

/**
 * The text of a file, lines ended by LF alone. Throws `InvalidAgentExtensionFileError` for what is
 * no UTF-8, and for a link that leads elsewhere.
 */
export function readLocalExtensionFile(file: string): string {
  const bytes = readWholeRegularFile(resolveMarkdownLink(file));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new InvalidAgentExtensionFileError(file, "is no UTF-8 text; save it as UTF-8");
  }
}

/**
 * Returns the path of the file behind a link. A stranger's folder may link to any file of this
 * machine, a private key for instance, and the text of an item is sent to models.
 */
function resolveMarkdownLink(file: string): string {
  const target = realpathSync.native(file);
  const way = relative(realpathSync.native(dirname(file)), target);
  if (!isAbsolute(way) && !/^\.\.(?:[/\\]|$)/.test(way) && /\.md$/i.test(way)) return target;
  throw new InvalidAgentExtensionFileError(
    file,
    "is a link that leads to no Markdown file of its folder; import the file itself",
  );
}
