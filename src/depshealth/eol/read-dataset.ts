import { DataSourceDocumentError } from "../fetch/document-error.ts";
import type { JsonProjection } from "../../platform/json-stream/json-shape.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { parseUtcDay } from "../utc-day.ts";
import type { EolCycle, EolDataset, EolProduct, EolDateOrFlag } from "./dataset.ts";

const shape: JsonProjection = {
  members: {
    result: { each: wholeMembersProjection("name", "label", "aliases", "identifiers", "releases") },
  },
};

/**
 * Reads the document `/products/full` of API v1. What cannot be used of it is
 * left out; a document without a single product is unreadable.
 */
export const eolDatasetParser = createJsonDocumentParser(shape, (picked): EolDataset => {
  const { result } = recordOf(picked);
  const products = arrayOf(result).flatMap(productOf);
  if (products.length === 0) throw new DataSourceDocumentError("unreadable");
  return { products };
});

function productOf(value: unknown): EolProduct[] {
  const { name, label, aliases, identifiers, releases } = recordOf(value);
  const ownName = textOf(name);
  if (ownName === null) return [];
  return [
    {
      name: ownName,
      label: textOf(label) ?? ownName,
      aliases: arrayOf(aliases).flatMap((alias) => textOf(alias) ?? []),
      purls: arrayOf(identifiers).flatMap(purlOf),
      cycles: arrayOf(releases).flatMap(cycleOf),
    },
  ];
}

function purlOf(value: unknown): string[] {
  const { type, id } = recordOf(value);
  const text = textOf(id);
  return type === "purl" && text !== null ? [text] : [];
}

function cycleOf(value: unknown): EolCycle[] {
  const release = recordOf(value);
  const name = textOf(release["name"]);
  if (name === null) return [];
  const tellsSupport = "eoasFrom" in release || "isEoas" in release;
  return [
    {
      name,
      releasedOn: dayOf(release["releaseDate"]),
      lts: sinceOf(release["ltsFrom"], release["isLts"]),
      supportEnd: tellsSupport ? sinceOf(release["eoasFrom"], release["isEoas"]) : null,
      end: sinceOf(release["eolFrom"], release["isEol"]),
      latest: latestOf(release["latest"]),
    },
  ];
}

function latestOf(value: unknown): EolCycle["latest"] {
  const { name, date } = recordOf(value);
  const text = textOf(name);
  return text === null ? null : { name: text, releasedOn: dayOf(date) };
}

function sinceOf(day: unknown, flag: unknown): EolDateOrFlag {
  return { day: dayOf(day), flag: flag === true };
}

function dayOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : parseUtcDay(text);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
