import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DeletedServiceSchema,
  ListServicesResponseSchema,
  type DocumentService,
  type LearnServiceRequest,
} from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { HttpBodySchema } from "../../gen/ts/google/api/httpbody_pb.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import type { Clock } from "../platform/clock.ts";
import { invalidRequestError, notFoundError } from "../platform/errors.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import type { PublishedServiceDocumentCache } from "./published-documents.ts";
import { assertServiceBaseUrl } from "./read-base-url.ts";
import { viewLearnedService, viewLearnedServiceWithDocument } from "./service.view.ts";
import {
  deleteLearnedService,
  getLearnedService,
  learnService,
  listServicesLearnedFromTraffic,
  renderLearnedServiceDocument,
  publishLearnedService,
  unpublishService,
  type LearnedServiceDependencies,
} from "./services.ts";

export interface DocumentRpcDependencies {
  readonly tools: LearnedServiceDependencies;
  readonly published: PublishedServiceDocumentCache;
  readonly clock: Clock;
}

/** The handlers of service documents. */
export function createServiceDocumentRpc({
  tools,
  published,
  clock,
}: DocumentRpcDependencies): ServiceImpl<typeof DocumentService> {
  return {
    async getServiceDocument({ serviceId }, { responseHeader }) {
      const document = await published.find(serviceId);
      if (document === undefined) throw notFoundError("service", "server");
      responseHeader.set("etag", document.tag);
      responseHeader.set("cache-control", "no-cache");
      return create(HttpBodySchema, { contentType: "application/json", data: document.bytes });
    },
    async learnService(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const capture = captureOf(request);
      return viewLearnedService(await learnService(tools, em, actor, request.serviceId, capture));
    },
    async shipService({ serviceId, title, baseUrl }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const shipment = { title, baseUrl: assertServiceBaseUrl(baseUrl) };
      return viewLearnedService(await publishLearnedService(tools, em, actor, serviceId, shipment));
    },
    async unshipService({ serviceId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewLearnedService(await unpublishService(em, actor, serviceId));
    },
    async listServices(request, context) {
      const page = await listServicesLearnedFromTraffic(
        readRpcContext(context, clock).em,
        readPageRequest(request),
      );
      return create(ListServicesResponseSchema, toListEnvelope(page, viewLearnedService, idOf));
    },
    async getService({ serviceId }, context) {
      const row = await getLearnedService(readRpcContext(context, clock).em, serviceId);
      const { text } = await renderLearnedServiceDocument(tools, row);
      return viewLearnedServiceWithDocument(row, text);
    },
    async deleteService({ serviceId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await deleteLearnedService(em, actor, serviceId);
      return create(DeletedServiceSchema, { id: serviceId, object: "service", deleted: true });
    },
  };
}

/** Over REST always bytes; other callers may send the object. */
function captureOf({ har, capture }: LearnServiceRequest): Uint8Array {
  if (capture !== undefined && har === undefined) return capture.data;
  if (capture === undefined && har !== undefined) {
    return new TextEncoder().encode(JSON.stringify(har));
  }
  throw invalidRequestError("har", "Send the capture either as `har` or as `capture`.");
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}
