import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { readAuditFiles } from "../../../src/cli/audit/read-audit-files.ts";
import { buildAuditPackageQueries } from "../../../src/cli/audit/package-query.ts";

/** Content of a file of a project. */
export type Content = string | Buffer | { readonly link: string } | { readonly json: unknown };

/** Files of a project, and what an audit of them asks and cannot read. */
export interface Case {
  readonly files: Readonly<Record<string, Content>>;
  /** `name requested`, or the name alone. */
  readonly asked: readonly string[];
  /** `file:line: word of the reason`. */
  readonly unread: readonly string[];
}

/** Writes files to a folder of their own, which the end of the test deletes. */
export function createAuditFolder(files: Case["files"]): string {
  const folder = mkdtempSync(join(tmpdir(), "causeway-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(path, content);
    else if ("link" in content) symlinkSync(content.link, path);
    else writeFileSync(path, JSON.stringify(content.json, undefined, 1));
  }
  return folder;
}

/** Audits a project of these files. */
export function audit(files: Case["files"]): Pick<Case, "asked" | "unread"> {
  const folder = createAuditFolder(files);
  const { questions, unparsed } = buildAuditPackageQueries(readAuditFiles([folder], "auto"));
  return {
    asked: questions.map(({ name, requested }) => `${name} ${requested ?? ""}`.trim()).toSorted(),
    unread: unparsed
      .map(({ file, line, reason }) => {
        const [word = ""] = reason.split(":");
        return `${file.slice(folder.length + 1)}:${line ?? "-"}: ${word}`;
      })
      .toSorted(),
  };
}
