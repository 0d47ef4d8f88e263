import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  RuntimeEolReportSchema,
  type ReleaseCycleSchema,
  type RuntimeEolReport,
} from "../../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import { decideCycleVerdict, toUtcDay, daysToEol, hasPassed } from "../eol/cycle-verdict.ts";
import type { EolCycle } from "../eol/dataset.ts";
import { describeAge } from "../eol/describe-age.ts";
import type { EolResult } from "../eol/runtime-eol.ts";
import { cycleVerdictValues } from "./enums.ts";
import { optionalDay } from "./times.ts";

/** The answer of `runtime_eol`, reckoned for the day of the call. */
export function viewRuntimeEol(answer: EolResult, now: number): RuntimeEolReport {
  const { product, cycles, dataset } = answer;
  const today = toUtcDay(now);
  const asOf = timestampFromMs(dataset.observedAt);
  return create(RuntimeEolReportSchema, {
    object: "runtime_eol",
    product: product.name,
    label: product.label,
    aliases: [...product.aliases],
    cycles: cycles.map((cycle) => cycleView(cycle, today)),
    dataset: { fetchedAt: asOf, products: dataset.document.products.length },
    checkedAt: timestampFromMs(now),
    dataAsOf: asOf,
    dataAge: describeAge(dataset, now),
  });
}

function cycleView(cycle: EolCycle, today: string): MessageInitShape<typeof ReleaseCycleSchema> {
  return {
    cycle: cycle.name,
    verdict: cycleVerdictValues[decideCycleVerdict(cycle, today)],
    latestPatch: cycle.latest?.name,
    latestPatchAt: optionalDay(cycle.latest?.releasedOn ?? null),
    lts: hasPassed(cycle.lts, today),
    releasedAt: optionalDay(cycle.releasedOn),
    supportEndsAt: optionalDay(cycle.supportEnd?.day ?? null),
    eolAt: optionalDay(cycle.end.day),
    daysToEol: daysToEol(cycle, today),
  };
}
