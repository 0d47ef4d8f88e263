import { DocumentFault } from "../fetch/document-fault.ts";
import {
  asRecord,
  asRecords,
  asText,
  asTexts,
  type JsonObject,
} from "../../platform/json-value.ts";
import { wholeMembers, type JsonShape } from "../../platform/json-stream/json-shape.ts";
import { jsonReader } from "../fetch/read-document.ts";

/** What an advisory says of one package. */
export interface AffectedPackage {
  readonly ecosystem: string;
  readonly name: string;
  readonly fixedIn: readonly string[];
  /** Named one by one. */
  readonly versions: readonly string[];
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
  readonly isWithdrawn: boolean;
  /** Word of the database, `HIGH` for instance. */
  readonly severityWord: string | null;
  /** CVSS vectors. */
  readonly vectors: readonly string[];
  readonly affected: readonly AffectedPackage[];
}

const textLength = 4000;
const mostVersions = 2000;

const shape: JsonShape = {
  members: {
    id: "whole",
    aliases: "whole",
    summary: "whole",
    details: "whole",
    withdrawn: "whole",
    severity: "whole",
    database_specific: wholeMembers("severity"),
    affected: {
      each: wholeMembers(
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

export const readAdvisory = jsonReader(shape, (picked): AdvisoryRecord => {
  const advisory = asRecord(picked);
  const id = asText(advisory["id"]);
  if (id === undefined) throw new DocumentFault("unreadable");
  return {
    id,
    details: {
      aliases: asTexts(advisory["aliases"]),
      summary: asText(advisory["summary"]) ?? null,
      text: (asText(advisory["details"]) ?? "").slice(0, textLength),
      isWithdrawn: asText(advisory["withdrawn"]) !== undefined,
      severityWord: asText(asRecord(advisory["database_specific"])["severity"]) ?? null,
      vectors: vectorsOf(advisory["severity"]),
      affected: asRecords(advisory["affected"]).map(affectedPackage),
    },
  };
});

function affectedPackage(affected: JsonObject): AffectedPackage {
  const { package: named, database_specific: specific, ecosystem_specific: more } = affected;
  const events = asRecords(affected["ranges"])
    .filter(({ type }) => type !== "GIT")
    .flatMap(({ events }) => asRecords(events));
  return {
    ecosystem: asText(asRecord(named)["ecosystem"]) ?? "",
    name: asText(asRecord(named)["name"]) ?? "",
    fixedIn: [...new Set(events.flatMap(({ fixed }) => asText(fixed) ?? []))],
    versions: asTexts(affected["versions"]).slice(0, mostVersions),
    informational: asText(asRecord(specific)["informational"]) ?? null,
    severity:
      vectorsOf(affected["severity"])[0] ??
      asText(asRecord(specific)["severity"]) ??
      asText(asRecord(more)["severity"]) ??
      null,
  };
}

function vectorsOf(severity: unknown): readonly string[] {
  return asRecords(severity).flatMap(({ score }) => asText(score) ?? []);
}
