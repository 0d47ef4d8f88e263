import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { createServiceDocumentRpc } from "../../document/document.rpc.ts";
import { PublishedServiceDocumentCache } from "../../document/published-documents.ts";
import { ServiceDocumentWorker } from "../../document/worker/document-worker.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";

export interface LearnedServiceDocumentModule {
  readonly services: readonly MountedService[];
  readonly isPublished: (serviceId: string) => Promise<boolean>;
  close(): Promise<void>;
}

/** Builds the documents of services. */
export function createServiceDocumentModule({
  storage,
  feed,
  clock,
}: SharedResources): LearnedServiceDocumentModule {
  const worker = new ServiceDocumentWorker();
  const published = new PublishedServiceDocumentCache({
    fork: () => storage.database.fork(),
    feed,
    clock,
  });
  const rpc = createServiceDocumentRpc({ tools: { worker, box: storage.box }, published, clock });
  return {
    services: [bindServiceImplementation(DocumentService, rpc)],
    isPublished: async (id) => (await published.find(id)) !== undefined,
    close: () => worker.close(),
  };
}
