import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  RuntimeEolReportSchema,
  type ReleaseCycleSchema,
  type RuntimeEolReport,
} from "../../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import {
  decideCycleVerdict,
  toUtcDay,
  countDaysToEol,
  hasCycleDatePassed,
} from "../eol/cycle-verdict.ts";
import type { EolCycle } from "../eol/dataset.ts";
import { describeDatasetAge } from "../eol/describe-age.ts";
import type { MatchedEolProductCycles } from "../eol/runtime-eol.ts";
import { cycleVerdictToProto } from "./enums.ts";
import { dayToOptionalTimestamp } from "./times.ts";

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
    dataAge: describeDatasetAge(dataset, now),
  });
}

function cycleView(cycle: EolCycle, today: string): MessageInitShape<typeof ReleaseCycleSchema> {
  return {
    cycle: cycle.name,
    verdict: cycleVerdictToProto[decideCycleVerdict(cycle, today)],
    latestPatch: cycle.latest?.name,
    latestPatchAt: dayToOptionalTimestamp(cycle.latest?.releasedOn ?? null),
    lts: hasCycleDatePassed(cycle.lts, today),
    releasedAt: dayToOptionalTimestamp(cycle.releasedOn),
    supportEndsAt: dayToOptionalTimestamp(cycle.supportEnd?.day ?? null),
    eolAt: dayToOptionalTimestamp(cycle.end.day),
    daysToEol: countDaysToEol(cycle, today),
  };
}
