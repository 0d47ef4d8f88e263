import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { sanitizeTerminalLine } from "../format-cell.ts";
import { formatTable } from "../format-table.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { findPackageHealthFindingNames, asProtobufJsonObjectElements } from "./findings.ts";

/** The answer of `package_health` for people: the sentence, what it rests on, flaws, failed sources. */
export function formatPackageHealth(report: JsonObject): string {
  const repository = isProtobufJsonObject(report["repository"]) ? report["repository"] : {};
  const facts: readonly (readonly [string, JsonValue | undefined])[] = [
    ["verdict", report["verdict"]],
    ["latest", join(report["latest_version"], day(report["latest_released_at"]))],
    ["last push", day(repository["last_push_at"])],
    ["repository", repository["url"]],
    ["replacement", nameOf(report["replacement"])],
    ["maintainers", report["maintainers_count"]],
    ["dependents", report["dependents_count"]],
    ["advisories", report["advisories"] === null ? "not known" : undefined],
  ];
  const known = facts.filter(([, value]) => value !== null && value !== undefined);
  const failed = asProtobufJsonObjectElements(report["evidence"]).filter(({ ok }) => ok === false);
  return sections([
    line(report["summary"]),
    columns(known.map(([name, value]) => [name, line(value)])),
    columns(
      asProtobufJsonObjectElements(report["reasons"]).map(({ code, message }) => [
        line(code),
        line(message),
      ]),
    ),
    advisoriesText(asProtobufJsonObjectElements(report["advisories"])),
    failed.map((entry) => `${line(entry["source"])}: ${line(entry["error"])}`).join("\n"),
  ]);
}

/** The answer of `deps_audit` for people: a row per package, then what was left out, then the numbers. */
export function formatDepsAudit(report: JsonObject): string {
  const unparsed = asProtobufJsonObjectElements(report["unparsed"]);
  const left = asProtobufJsonObjectElements(report["not_assessed"]);
  const packages = asProtobufJsonObjectElements(report["packages"]);
  return sections([
    namesOf("malicious", packages.filter(isMalicious)),
    formatTable(withoutEmptyColumns(packages.map(auditRow))),
    withTitle("not read", columns(unparsed.map(unparsedRow))),
    withTitle("beyond the limit of one call", left.map(packageName).join("\n")),
    numbers(report["summary"]),
    unknownAdvisories(packages),
  ]);
}

/** The answer of `runtime_eol` for people. */
export function formatRuntimeEol(report: JsonObject): string {
  const rows = asProtobufJsonObjectElements(report["cycles"]).map((cycle) => ({
    cycle: cycle["cycle"] ?? null,
    verdict: cycle["verdict"] ?? null,
    lts: cycle["lts"] === true ? "yes" : null,
    latest: cycle["latest_patch"] ?? null,
    "support ends": day(cycle["support_ends_at"]),
    "end of life": day(cycle["eol_at"]),
    days: cycle["days_to_eol"] ?? null,
  }));
  return sections([
    `${line(report["label"])} (${line(report["product"])})`,
    formatTable(rows),
    line(report["data_age"]),
  ]);
}

function auditRow(row: JsonObject): JsonObject {
  const advisories = isProtobufJsonObject(row["advisories"]) ? row["advisories"] : {};
  return {
    verdict: row["verdict"] ?? null,
    package: packageName({ ...row, requested: null }),
    relation: row["relation"] ?? null,
    asked: row["requested"] ?? null,
    version: row["version"] ?? null,
    latest: row["latest_version"] ?? null,
    "released days ago": row["latest_age_days"] ?? null,
    "pushed days ago": row["last_push_age_days"] ?? null,
    advisories: advisories["total"] ?? null,
    replacement: nameOf(row["replacement"]) ?? null,
    error: row["error"] ?? null,
  };
}

/** A source that failed must not look like one that found nothing. */
function unknownAdvisories(packages: readonly JsonObject[]): string {
  const rows = packages.filter(
    ({ advisories, verdict }) => advisories === null && verdict !== "unknown",
  );
  return namesOf("advisories are not known of", rows);
}

function isMalicious(row: JsonObject): boolean {
  return findPackageHealthFindingNames(row).includes("malicious");
}

function namesOf(what: string, packages: readonly JsonObject[]): string {
  return packages.length === 0 ? "" : `${what}: ${packages.map(packageName).join(", ")}`;
}

/** A column in which nobody has anything is no help. */
function withoutEmptyColumns(rows: readonly JsonObject[]): JsonObject[] {
  const names = Object.keys(rows[0] ?? {});
  const used = names.filter((name) => rows.some((row) => row[name] !== null));
  return rows.map((row) => Object.fromEntries(used.map((name) => [name, row[name] ?? null])));
}

function unparsedRow({ line: number, reason, text }: JsonObject): [string, string] {
  const place = number === undefined ? "" : `line ${line(number)}  `;
  return [`${place}${line(reason)}`, line(text)];
}

function advisoriesText(advisories: readonly JsonObject[]): string {
  return columns(
    advisories.map(({ id, severity, summary, fixed_in: fixedIn }) => {
      const versions = Array.isArray(fixedIn) ? fixedIn.map(line) : [];
      const fixed = versions.length === 0 ? "" : ` (fixed in ${versions.join(", ")})`;
      return [`${line(severity)} ${line(id)}`, `${line(summary ?? null)}${fixed}`];
    }),
  );
}

function numbers(summary: JsonValue | undefined): string {
  if (!isProtobufJsonObject(summary)) return "";
  const parts = Object.entries(summary).filter(([name, value]) => name === "total" || value !== 0);
  return parts.map(([name, value]) => `${line(value)} ${name.replaceAll("_", " ")}`).join(", ");
}

function packageName({ ecosystem, name, requested }: JsonObject): string {
  const asked = typeof requested === "string" ? ` ${requested}` : "";
  return `${line(ecosystem)} ${line(name)}${sanitizeTerminalLine(asked)}`;
}

function nameOf(replacement: JsonValue | undefined): JsonValue | undefined {
  return isProtobufJsonObject(replacement) ? replacement["name"] : undefined;
}

function day(time: JsonValue | undefined): string | null {
  return typeof time === "string" ? time.slice(0, 10) : null;
}

function join(first: JsonValue | undefined, second: string | null): string | null {
  if (typeof first !== "string") return null;
  return second === null ? first : `${first}, released ${second}`;
}

/** Text of others on one line, without what a terminal would obey. */
function line(value: JsonValue | undefined): string {
  if (typeof value === "string") return sanitizeTerminalLine(value);
  return typeof value === "number" ? value.toString() : "-";
}

function withTitle(title: string, text: string): string {
  return text === "" ? "" : `${title}:\n${text}`;
}

function sections(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = rows.reduce((most, [left]) => Math.max(most, left.length), 0);
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join("\n");
}
