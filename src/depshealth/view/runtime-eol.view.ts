import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  RuntimeEolReportSchema,
  type ReleaseCycleSchema,
  type RuntimeEolReport,
} from "../../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import { decideEolCycleVerdict, countDaysToEol, hasEolDatePassed } from "../eol/cycle-verdict.ts";
import { toUtcDay } from "../utc-day.ts";
import type { EolCycle } from "../eol/dataset.ts";
import { describeEolDatasetAge } from "../eol/describe-age.ts";
import type { MatchedEolProductCycles } from "../eol/runtime-eol.ts";
import { eolCycleVerdictToProto } from "./enums.ts";
import { utcDayToOptionalTimestamp } from "./times.ts";

/** The answer of `runtime_eol`, reckoned for the day of the call. */
export function viewRuntimeEol(answer: MatchedEolProductCycles, now: number): RuntimeEolReport {
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
    dataAge: describeEolDatasetAge(dataset, now),
  });
}

function cycleView(cycle: EolCycle, today: string): MessageInitShape<typeof ReleaseCycleSchema> {
  return {
    cycle: cycle.name,
    verdict: eolCycleVerdictToProto[decideEolCycleVerdict(cycle, today)],
    latestPatch: cycle.latest?.name,
    latestPatchAt: utcDayToOptionalTimestamp(cycle.latest?.releasedOn ?? null),
    lts: hasEolDatePassed(cycle.lts, today),
    releasedAt: utcDayToOptionalTimestamp(cycle.releasedOn),
    supportEndsAt: utcDayToOptionalTimestamp(cycle.supportEnd?.day ?? null),
    eolAt: utcDayToOptionalTimestamp(cycle.end.day),
    daysToEol: countDaysToEol(cycle, today),
  };
}
