import {
  asRecord,
  asRecords,
  asText,
  asTexts,
  type JsonObject,
} from "../../platform/json-value.ts";
import { UnreadableText, type DependencyFile } from "../dependency-file.ts";
import { jsonObject } from "../document/json-document.ts";
import { memberLines, type MemberLines } from "../document/member-lines.ts";
import { billFile, type BillComponent } from "./bill-file.ts";

/** Components of components of components. */
const deepest = 50;

/** Reads a CycloneDX document in JSON. */
export function readCycloneDxJson(text: string): DependencyFile {
  const bill = jsonObject(text);
  if (bill["bomFormat"] !== "CycloneDX") {
    throw new UnreadableText("invalid_bill: its bomFormat is not CycloneDX", 1);
  }
  const needs = new Map(
    asRecords(bill["dependencies"]).map(({ ref, dependsOn }) => [asText(ref), asTexts(dependsOn)]),
  );
  const lines = memberLines(text);
  const main = asRecord(asRecord(bill["metadata"])["component"]);
  const components = [{ component: main, line: undefined }, ...componentsIn(bill, lines)].map(
    ({ component, line }): BillComponent => {
      const id = idOf(component);
      return {
        id,
        label: labelOf(component),
        packageUrl: asText(component["purl"]),
        line,
        requires: needs.get(id) ?? [],
      };
    },
  );
  return billFile(components, [idOf(main)]);
}

/** All of them, also those within others, at the line of the outermost. */
function componentsIn(
  bill: JsonObject,
  lines: MemberLines,
): { readonly component: JsonObject; readonly line: number | undefined }[] {
  const found: { component: JsonObject; line: number | undefined }[] = [];
  let level = asRecords(bill["components"]).map((component, at) => ({
    component,
    line: lines("components", at),
  }));
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) throw new UnreadableText("invalid_bill: it nests too deep");
    for (const each of level) found.push(each);
    level = level.flatMap(({ component, line }) =>
      asRecords(component["components"]).map((inner) => ({ component: inner, line })),
    );
  }
  return found;
}

function idOf(component: JsonObject): string {
  return asText(component["bom-ref"]) ?? asText(component["purl"]) ?? labelOf(component);
}

function labelOf({ group, name, version }: JsonObject): string {
  const whole = [asText(group), asText(name)].filter((part) => part !== undefined).join("/");
  return asText(version) === undefined ? whole : `${whole}@${String(version)}`;
}
