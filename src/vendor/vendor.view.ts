import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Dialect } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  UpstreamProbeSchema,
  type UpstreamProbe,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import {
  VendorSchema,
  type Vendor as VendorMessage,
} from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import type { Dialect as DialectName } from "../platform/configuration/configuration.ts";
import type { ProbeReport } from "../platform/endpoint/probe-report.ts";
import type { VendorLink } from "./vendor-links.ts";

const dialectMessages: Readonly<Record<DialectName, Dialect>> = {
  dialect_chat: Dialect.CHAT,
  dialect_messages: Dialect.MESSAGES,
  dialect_responses: Dialect.RESPONSES,
};

/** A vendor as the account sees it; never its credential. */
export function viewVendor({ vendor, link }: VendorLink): VendorMessage {
  return create(VendorSchema, {
    id: vendor.id,
    object: "vendor",
    label: vendor.label,
    dialects: vendor.dialects.map((dialect) => dialectMessages[dialect]),
    linked: link !== undefined,
    linkedAt: link === undefined ? undefined : timestampFromDate(link.linkedAt),
    probe: viewProbe(link?.probe ?? null),
  });
}

function viewProbe(report: ProbeReport | null): UpstreamProbe | undefined {
  if (report === null) return undefined;
  return create(UpstreamProbeSchema, { ...report, at: timestampFromDate(new Date(report.at)) });
}
