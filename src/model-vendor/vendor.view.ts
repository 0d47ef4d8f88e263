import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DialectSchema } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  UpstreamProbeSchema,
  type UpstreamProbe,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import {
  VendorSchema,
  type Vendor as VendorMessage,
} from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { EndpointProbeReport } from "../platform/endpoint/probe-report.ts";
import type { VendorWithCredential } from "./vendor-links.ts";

/** A vendor as the account sees it; never its credential. */
export function viewVendor({ vendor, link }: VendorWithCredential): VendorMessage {
  return create(VendorSchema, {
    id: vendor.id,
    object: "vendor",
    label: vendor.label,
    dialects: vendor.dialects.map((dialect) => enumNameToNumber(DialectSchema, dialect)),
    linked: link !== undefined,
    linkedAt: link === undefined ? undefined : timestampFromDate(link.linkedAt),
    probe: viewProbe(link?.probe ?? null),
  });
}

function viewProbe(report: EndpointProbeReport | null): UpstreamProbe | undefined {
  if (report === null) return undefined;
  return create(UpstreamProbeSchema, { ...report, at: timestampFromDate(new Date(report.at)) });
}
