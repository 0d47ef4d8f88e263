import { asRecord } from "../../platform/json-value.ts";
import { declaredFile, type DeclaredEntry } from "../declared-file.ts";
import type { DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines } from "../document/member-lines.ts";

/** Reads a composer.json: `require` and `require-dev` without what stands for PHP itself. */
export function readComposerJson(text: string): DependencyFile {
  const manifest = jsonObject(text);
  const lines = memberLines(text);
  const entries = ["require", "require-dev"].flatMap((member) =>
    Object.entries(asRecord(manifest[member]))
      // PHP, its extensions and Composer itself have no vendor.
      .filter(([name]) => name.includes("/"))
      .map(([name, value]) =>
        entryOf(name, String(value), {
          group: member === "require" ? "production" : "development",
          line: lines(member, name),
        }),
      ),
  );
  return declaredFile("packagist", entries);
}

function entryOf(
  name: string,
  requested: string,
  at: { readonly group: string; readonly line: number | undefined },
): DeclaredEntry {
  if (/^dev-|\.x-dev\b/.test(requested)) {
    return { ...at, text: `${name} ${requested}`, reason: "git: a branch" };
  }
  const [, version] = /^=?v?(\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?)$/.exec(requested) ?? [];
  return { ...at, name, requested, ...(version !== undefined && { version }) };
}
