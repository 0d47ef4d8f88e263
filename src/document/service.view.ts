import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import {
  LearnedServiceSchema,
  ServiceWithDocumentSchema,
  type LearnedService as LearnedServiceView,
  type ServiceWithDocument,
} from "../../gen/ts/causeway/document/v1/document_pb.ts";
import type { LearnedService } from "./learned-service.entity.ts";

/** A service as the operator's list shows it. */
export function viewLearnedService(row: LearnedService): LearnedServiceView {
  return create(LearnedServiceSchema, fieldsOf(row));
}

/** The same with its document, which is JSON text. */
export function viewLearnedServiceWithDocument(
  row: LearnedService,
  document: string,
): ServiceWithDocument {
  return create(ServiceWithDocumentSchema, {
    ...fieldsOf(row),
    document: JSON.parse(document) as JsonObject,
  });
}

function fieldsOf(row: LearnedService) {
  const { id, title, baseUrl, shipped, captures, observations, templatesCount } = row;
  return {
    id,
    object: "service",
    serviceId: id,
    shipped,
    ...(title !== null && { title }),
    ...(baseUrl !== null && { baseUrl }),
    captures: BigInt(captures),
    observations: BigInt(observations),
    ...(row.firstDay !== null && { firstSeen: startOf(row.firstDay) }),
    ...(row.lastDay !== null && { lastSeen: startOf(row.lastDay) }),
    templatesCount,
    updatedAt: timestampFromDate(row.updatedAt),
  } satisfies MessageInitShape<typeof LearnedServiceSchema>;
}

/** Midnight of a day, UTC. */
function startOf(day: string): Timestamp {
  return timestampFromDate(new Date(day));
}
