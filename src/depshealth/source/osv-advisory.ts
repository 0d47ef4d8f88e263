import { asUsableIdentifiers, truncateToOneLine } from "../fetch/source-text.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  asNonBlankString,
  asNonBlankStrings,
  type JsonObject,
} from "../../platform/json-value.ts";
import {
  wholeMembersProjection,
  type JsonProjection,
} from "../../platform/json-stream/json-shape.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import type { AffectedRangeEvent } from "./affected-ranges.ts";

/** What an advisory says of one package. */
export interface AffectedPackage {
  readonly ecosystem: string;
  readonly name: string;
  readonly fixedIn: readonly string[];
  /** All that are named one by one; none of a record that is not of malicious packages. */
  readonly versions: readonly string[];
  /** Ranges cover versions too. */
  readonly hasRanges: boolean;
  /** Events of each range of versions. */
  readonly ranges: readonly (readonly AffectedRangeEvent[])[];
  /** RustSec's `unmaintained` and `notice`, which are no flaw, or `unsound`, which is one. */
  readonly informational: string | null;
  readonly severity: string | null;
}

/** What is kept of an advisory; one that could not be had has only its id. */
export interface AdvisoryRecord {
  readonly id: string;
  readonly details?: AdvisoryDetails;
}

export interface AdvisoryDetails {
  readonly aliases: readonly string[];
  readonly summary: string | null;
  /** Beginning of the text. */
  readonly text: string;
  /** From when on it does not count, in milliseconds since the Unix epoch; null: it counts. */
  readonly withdrawnAt: number | null;
  /** Word of the database, `HIGH` for instance. */
  readonly severityWord: string | null;
  /** CVSS vectors. */
  readonly vectors: readonly string[];
  readonly affected: readonly AffectedPackage[];
}

const textLength = 4000;
/** Packages that a record names; one that names more is not read, and counts with its id alone. */
const mostAffected = 2000;
/** Events of the ranges of a package; the ranges of one that has more are not read. */
const mostEvents = 500;

const shape: JsonProjection = {
  members: {
    id: "whole",
    aliases: "whole",
    summary: "whole",
    details: "whole",
    withdrawn: "whole",
    severity: "whole",
    database_specific: wholeMembersProjection("severity"),
    affected: {
      each: wholeMembersProjection(
        "package",
        "ranges",
        "versions",
        "severity",
        "database_specific",
        "ecosystem_specific",
      ),
    },
  },
};

export const osvAdvisoryParser = createJsonDocumentParser(shape, (picked): AdvisoryRecord => {
  const advisory = asJsonObjectOrEmpty(picked);
  const id = truncateToOneLine(advisory["id"]);
  if (id === undefined) throw new DataSourceDocumentError("unreadable");
  const affected = asJsonObjectElements(advisory["affected"]);
  if (affected.length > mostAffected) throw new DataSourceDocumentError("too large");
  return {
    id,
    details: {
      aliases: asUsableIdentifiers(advisory["aliases"]),
      summary: truncateToOneLine(advisory["summary"]) ?? null,
      text: (asNonBlankString(advisory["details"]) ?? "").slice(0, textLength),
      withdrawnAt: parseAdvisoryWithdrawal(advisory["withdrawn"]),
      severityWord:
        truncateToOneLine(asJsonObjectOrEmpty(advisory["database_specific"])["severity"]) ?? null,
      vectors: vectorsOf(advisory["severity"]),
      affected: affected.map((entry) => affectedPackage(entry, isMalwareAdvisoryId(id))),
    },
  };
});

function affectedPackage(affected: JsonObject, keepsVersions: boolean): AffectedPackage {
  const { package: named, database_specific: specific, ecosystem_specific: more } = affected;
  const ranges = asJsonObjectElements(affected["ranges"]);
  const versionRanges = ranges.filter(({ type }) => type !== "GIT");
  const events = versionRanges.flatMap((range) => asJsonObjectElements(range["events"]));
  return {
    ecosystem: asNonBlankString(asJsonObjectOrEmpty(named)["ecosystem"]) ?? "",
    name: asNonBlankString(asJsonObjectOrEmpty(named)["name"]) ?? "",
    fixedIn: [...new Set(asUsableIdentifiers(events.map(({ fixed }) => fixed)))],
    versions: keepsVersions ? asNonBlankStrings(affected["versions"]) : [],
    hasRanges: ranges.length > 0,
    ranges: events.length > mostEvents ? [] : versionRanges.map(eventsOf),
    informational: truncateToOneLine(asJsonObjectOrEmpty(specific)["informational"]) ?? null,
    severity:
      vectorsOf(affected["severity"])[0] ??
      truncateToOneLine(asJsonObjectOrEmpty(specific)["severity"]) ??
      truncateToOneLine(asJsonObjectOrEmpty(more)["severity"]) ??
      null,
  };
}

function eventsOf(range: JsonObject): readonly AffectedRangeEvent[] {
  return asJsonObjectElements(range["events"]).flatMap((event) =>
    eventKinds.flatMap((kind) =>
      asUsableIdentifiers([event[kind]]).map((version) => ({ kind, version })),
    ),
  );
}

/** Parses the time of a withdrawal. An unreadable time means that it has happened. */
export function parseAdvisoryWithdrawal(value: unknown): number | null {
  const text = asNonBlankString(value);
  if (text === undefined) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}

const eventKinds = ["introduced", "fixed", "last_affected"] as const;

/** Whether an id is of the records of packages that were made to harm. */
export function isMalwareAdvisoryId(id: string): boolean {
  return id.startsWith("MAL-");
}

function vectorsOf(severity: unknown): readonly string[] {
  return asUsableIdentifiers(asJsonObjectElements(severity).map(({ score }) => score));
}
