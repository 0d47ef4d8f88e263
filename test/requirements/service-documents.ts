import { tested, type Requirement } from "./requirement.ts";

/** Documents of services that were learned from traffic. */
export const serviceDocuments: readonly Requirement[] = tested([
  [
    "document.openapi",
    "The document is OpenAPI 3.1 with x-path-templates and x-svc-replay.",
    "document/render/document > is valid OpenAPI 3.1",
  ],
  [
    "document.no-values",
    "The document holds shapes, names of header rules and provenance, never a value or a credential.",
    "document/privacy > holds no part of a value, and neither does what is stored",
  ],
  [
    "document.not-found",
    "The document of an unknown service is 404.",
    "document/services > is published with POST …/ship and taken back with POST …/unship",
  ],
  [
    "document.open",
    "The document needs no credential; a live key or a session is accepted too.",
    "contract/operations > is refused without a credential, if it needs one",
  ],
  [
    "learned.names",
    "Of traffic only templates, methods, names and shapes are kept, never a value.",
    "document/privacy > holds no part of a value, and neither does what is stored",
    "document/privacy > keeps no part of a value in its tables, logs, metrics and answers",
  ],
  [
    "learned.merged",
    "What is learned is merged per service.",
    "document/state/merge > gives the same bytes in any order and in any parts",
  ],
  [
    "learned.openapi",
    "The document is OpenAPI 3.1.0 with a strong ETag and If-None-Match.",
    "document/render/document > is valid OpenAPI 3.1",
    "document/services > answers If-None-Match with 304 while its strong ETag is the same",
  ],
  [
    "learned.templates",
    "x-path-templates lists the templates in match order.",
    "document/render/templates > match every observed address by its own template first",
  ],
  [
    "learned.replay",
    "x-svc-replay has version, header_rules, idempotent_methods and provenance.",
    "document/render/document > says how requests are made again",
  ],
  [
    "learned.no-values",
    "No example, default, enum or const comes from values.",
    "document/privacy > holds no keyword that is learned from values",
  ],
  [
    "learned.no-identities",
    "What looks like an id, token, address or name becomes no path or property.",
    "document/privacy > holds no part of a value, and neither does what is stored",
    "document/name/reads-like-name > takes %j for no name",
  ],
  [
    "learned.equal-entries",
    "An equal entry counts once, in whatever part it came.",
    "document/state/merge > counts an equal entry once, in whatever part it came",
  ],
  [
    "learned.parameters",
    "A segment is a parameter by its look, or with more than 8 different values at its place.",
    "document/render/templates > have a parameter for %s",
    "document/render/templates > have a parameter for more than eight values with the same continuation",
  ],
  [
    "learned.openings",
    "The first segment, and the one after api or a version, is none by number of values.",
    "document/render/templates > keep the first segment, and the one after `api` or a version",
  ],
  [
    "learned.constants",
    "A value seen far more often than its siblings stays a constant.",
    "document/render/templates > keep a value that is seen far more often than its siblings",
  ],
  [
    "learned.shapes",
    "Required is what every object had; types are united; integer and number are number.",
    "document/shape/shape-oracle > describe values as the library does",
  ],
  [
    "learned.maps",
    "Objects whose keys look like ids become additionalProperties.",
    "document/shape/shape-oracle > have additional properties where most keys are values",
  ],
  [
    "learned.limits",
    "Depth 32, 2000 properties, 500 templates; others are counted, in any order the same.",
    "document/state/merge > keep the same places in any order, and count the others",
    "document/state/merge > keep 500 templates, the same in any order, and count the others",
    "document/state/merge > keep 32 levels of a body and of a path",
  ],
  [
    "learned.origin",
    "Shown is the origin of the base_url, or before the most frequent, the smallest of several.",
    "document/render/document > is of the origin of the base address, or of the most frequent one",
  ],
  [
    "learned.bodies",
    "The media type decides what is JSON or a form; only those bodies are learned.",
    "document/render/document > learns JSON and forms by their media type, and of others the type only",
  ],
  [
    "learned.shipped",
    "What is published is what was shipped, until the next ship.",
    "document/services > stays published as it was shipped until the next time",
  ],
  [
    "learned.headers",
    "Headers of every client are left out; signatures are computed, the cookie a credential.",
    "document/render/document > says how requests are made again",
  ],
  [
    "learned.refused",
    "A body that is no HAR is 400 with param; nothing half-learned is kept.",
    "document/services > %s is 400 and names what is wrong",
    "document/services > broken in the middle leave what was learned as it was",
  ],
  [
    "learned.bounded",
    "A hostile capture is refused, or what goes beyond the limits is left out and counted.",
    "document/services > with a hundred thousand properties have most of them counted and left out",
    "document/services > that say the same over and over are learned once",
  ],
  [
    "learned.listed",
    "The operator lists, reads with the unshipped document, and deletes services.",
    "document/services > is learned with POST …/traffic and shown without its document",
    "document/services > is forgotten with DELETE, and may be learned anew",
    "document/services > stands in the list by its id, and after DELETE as a cursor",
  ],
  [
    "learned.ids",
    "A service_id is ^[a-z0-9][a-z0-9._-]{0,62}$ and never ends in .json.",
    "document/services > of a service called %s are refused",
  ],
  [
    "learned.shell",
    "causeway services learn reads a file of any size as a stream, in parts, with progress.",
    "cli/services/learn-command > learns from a file in parts that every server takes, and says what is known then",
    "cli/services/learn-command > shows in a terminal how much of the file was learned from",
  ],
  [
    "traffic.parts",
    "Traffic merges; large captures come in parts.",
    "document/services > of one service at the same time are all learned",
    "document/state/merge > gives the same bytes in any order and in any parts",
  ],
]);
