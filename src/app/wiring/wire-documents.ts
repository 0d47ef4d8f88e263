import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { createDocumentRpc } from "../../document/document.rpc.ts";
import { PublishedDocuments } from "../../document/published-documents.ts";
import { DocumentWorker } from "../../document/worker/document-worker.ts";
import { createMountedService, type MountedService } from "../../transport/mounted-service.ts";
import type { Foundation } from "../foundation.ts";

export interface ServiceDocumentWiring {
  readonly services: readonly MountedService[];
  readonly isPublished: (serviceId: string) => Promise<boolean>;
  close(): Promise<void>;
}

/** Builds the documents of services. */
export function wireServiceDocuments({ storage, feed, clock }: Foundation): ServiceDocumentWiring {
  const worker = new DocumentWorker();
  const published = new PublishedDocuments({ fork: () => storage.database.fork(), feed, clock });
  const rpc = createDocumentRpc({ tools: { worker, box: storage.box }, published, clock });
  return {
    services: [createMountedService(DocumentService, rpc)],
    isPublished: async (id) => (await published.find(id)) !== undefined,
    close: () => worker.close(),
  };
}
