import type { DescService } from "@bufbuild/protobuf";
import { buildOpenApiDocument } from "../../../src/transport/openapi/document.ts";
import type { OpenApiDocument } from "../../../src/transport/openapi/document-types.ts";
import { describeModelCallOperations } from "../../../src/transport/openapi/model-call-operations.ts";

const mebibyte = 1024 * 1024;

/** The document of the given services and the model calls. */
export function buildDocument(services: readonly DescService[]): OpenApiDocument {
  return buildOpenApiDocument({
    info: { title: "Causeway", version: "0.1.0", description: "All of it." },
    handWritten: [describeModelCallOperations(32 * mebibyte)],
    services,
    bodyLimits: { largeBytes: 32 * mebibyte },
  });
}
