import { later, type Requirement } from "./requirement.ts";

/** Contract section 9. */
export const contractLater: readonly Requirement[] = [
  ...later("service documents", "contract 9", [
    [
      "learned.names",
      "Of traffic only templates, methods, names and shapes are kept, never a value.",
    ],
    ["learned.merged", "What is learned is merged per service."],
    ["learned.openapi", "The document is OpenAPI 3.1.0 with a strong ETag and If-None-Match."],
    ["learned.templates", "x-path-templates lists the templates in match order."],
    [
      "learned.replay",
      "x-svc-replay has version, header_rules, idempotent_methods and provenance.",
    ],
    ["learned.no-values", "No example, default, enum or const comes from values."],
    [
      "learned.no-identities",
      "What looks like an id, token, address or name becomes no path or property.",
    ],
  ]),
];
