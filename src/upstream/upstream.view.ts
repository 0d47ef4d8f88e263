import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DialectSchema } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  UpstreamHealthSchema,
  UpstreamHealthStatus,
  UpstreamProbeSchema,
  UpstreamRestReasonSchema as CooldownReasonSchema,
  UpstreamSchema,
  UpstreamWithProbeSchema,
  type Upstream as UpstreamMessage,
  type UpstreamHealth,
  type UpstreamProbe,
  type UpstreamWithProbe,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import { redactAllHeaderValues, type ExtraHeaders } from "../platform/endpoint/header-rules.ts";
import type { EndpointProbeReport } from "../platform/endpoint/probe-report.ts";
import type { Principal } from "../platform/principal.ts";
import type { UpstreamSecretSealer } from "./upstream-secrets.ts";
import type { TargetCooldown } from "../domain/target-cooldown.ts";
import type { CustomEndpoint } from "./upstream.entity.ts";

/** An endpoint as a caller sees it: header values are for signed-in people only. */
export function viewUpstream(
  row: CustomEndpoint,
  principal: Principal,
  secrets: UpstreamSecretSealer,
  rests: ReadonlyMap<string, TargetCooldown>,
): UpstreamMessage {
  return create(UpstreamSchema, {
    slug: row.slug,
    label: row.label,
    baseUrl: row.baseUrl,
    dialect: enumNameToNumber(DialectSchema, row.dialect),
    headers: visibleHeaders(secrets.openHeaders(row), principal),
    models: row.models,
    modelNames: { ...row.modelNames },
    modelMeta: { ...row.modelMeta },
    probe: viewProbe(row.probe),
    updatedAt: timestampFromDate(row.updatedAt),
    health: viewHealth(rests.get(row.slug)),
  });
}

/** An endpoint and its last probe. */
export function viewUpstreamWithProbe(
  row: CustomEndpoint,
  principal: Principal,
  secrets: UpstreamSecretSealer,
  rests: ReadonlyMap<string, TargetCooldown>,
): UpstreamWithProbe {
  return create(UpstreamWithProbeSchema, {
    upstream: viewUpstream(row, principal, secrets, rests),
    probe: viewProbe(row.probe),
  });
}

function viewHealth(rest: TargetCooldown | undefined): UpstreamHealth {
  if (rest === undefined) return create(UpstreamHealthSchema, { status: UpstreamHealthStatus.OK });
  return create(UpstreamHealthSchema, {
    status: UpstreamHealthStatus.RESTING,
    since: timestampFromDate(new Date(rest.since)),
    why: enumNameToNumber(CooldownReasonSchema, rest.reason),
  });
}

function visibleHeaders(headers: ExtraHeaders, principal: Principal): Record<string, string> {
  return { ...(principal.kind === "session" ? headers : redactAllHeaderValues(headers)) };
}

function viewProbe(report: EndpointProbeReport | null): UpstreamProbe | undefined {
  if (report === null) return undefined;
  return create(UpstreamProbeSchema, { ...report, at: timestampFromDate(new Date(report.at)) });
}
