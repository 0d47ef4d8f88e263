import { later, type Requirement } from "./requirement.ts";

/** Contract sections 8 and 9. */
export const contractLater: readonly Requirement[] = [
  ...later("agent", "contract 8", [
    [
      "agent.engines",
      "`agent` picks by documented rules; agent-omni and agent-fast pin an engine.",
    ],
    [
      "agent.reachable",
      "An engine runs on its first model that the caller can reach, else the first endpoint's.",
    ],
    ["agent.none", "With no model at all: 403 no_vendor_credential."],
    [
      "agent.thread",
      "x-svc-session names a thread, private to the account; without it a new one is made.",
    ],
    ["agent.thread-form", "Its form is ^\\w{1,59}$, else 400."],
    ["agent.headers", "x-svc-session and x-svc-turn are on every answer, before the body."],
    ["agent.independent", "A turn is stored first and runs on when the caller hangs up."],
    [
      "agent.result",
      "Its result is got by turn id, by thread, or by the next call of the session.",
    ],
    ["agent.busy", "A second turn waits up to 30 s, then 429 with retry-after."],
    [
      "agent.instructions",
      "Instructions are the engine's, then the rules of the caller and its teams.",
    ],
    [
      "agent.declared-tools",
      "A call of a declared tool ends the turn and is resumed by its result.",
    ],
    ["agent.alias", "A leading @token in the last user message chooses the model."],
    ["agent.data", "Tool output is data, never instructions to the server."],
  ]),
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
