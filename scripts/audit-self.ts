/**
 * `npm run audit:self`: audits our own lock file with a server of our own, against the public
 * sources, and writes what was found into docs/supply-chain.md. What stays is accepted in
 * audit-baseline.json, with a reason and a day. With `CI` set it writes nothing, and a registry
 * that is away is a failure; elsewhere it is a message. Without advisories what the registry
 * tells is audited, and that is said.
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { auditTable } from "./audit-self/audit-table.ts";
import { readReport, type AuditedFile } from "./audit-self/read-report.ts";
import { offlineSources } from "./audit-self/sources-offline.ts";
import { withToolsServer } from "./audit-self/with-tools-server.ts";
import { repository, runTool } from "./run-tool.ts";

const { values } = parseArgs({
  options: {
    file: { type: "string", default: "package-lock.json" },
    baseline: { type: "string", default: "audit-baseline.json" },
    page: { type: "string", default: "docs/supply-chain.md" },
  },
});
const isCi = (process.env["CI"] ?? "") !== "";

process.exitCode = await withToolsServer(async (toolsUrl) => {
  const { registry, advisories } = await offlineSources(toolsUrl);
  if (registry !== undefined) {
    console.error(`Not audited, because the registry did not answer: ${registry}`);
    return isCi ? 1 : 0;
  }
  if (advisories !== undefined) console.error(`Audited without advisories: ${advisories}`);
  const withAdvisories = advisories === undefined;
  const audited = await readReport({ ...values, toolsUrl, withAdvisories });
  const failing = audited.findings.filter(({ isFailing }) => isFailing);
  for (const { subject, finding, message } of failing) {
    console.error(`${subject}: ${finding}: ${message}`);
  }
  console.log(`${audited.packages} packages: ${failing.length} findings beyond ${values.baseline}`);
  if (!isCi) await writePage(audited);
  return failing.length > 0 ? 1 : 0;
});

async function writePage(audited: AuditedFile): Promise<void> {
  const path = resolve(repository, values.page);
  const page = await readFile(path, "utf8");
  const place = /(<!-- audit:self -->\n)[^]*?(<!-- \/audit:self -->)/;
  if (!place.test(page))
    throw new Error(`${path} has no <!-- audit:self --> … <!-- /audit:self -->.`);
  const table = auditTable(audited);
  await writeFile(
    path,
    page.replace(place, (_, begin, end) => `${begin}\n${table}\n\n${end}`),
  );
  await runTool("oxfmt", [path]);
}
