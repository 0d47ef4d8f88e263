import type { CallerKeyScope } from "../../platform/principal.ts";
import type { AcceptedCredentialKind } from "../../contract/method-policy.ts";
import type { OpenApiDocument, OpenApiOperation } from "./document-types.ts";

/** Who may call an operation. */
export interface OperationSecurityRequirements {
  /** Empty: no credential is needed and none is read. */
  readonly credentials: readonly AcceptedCredentialKind[];
  /** Scope that a caller key must hold; undefined: any live key will do. */
  readonly scope?: CallerKeyScope | undefined;
}

type SecuritySchemes = OpenApiDocument["components"]["securitySchemes"];

/** Every way to present a credential. */
export const openApiSecuritySchemes: SecuritySchemes = {
  caller_key: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "cwk_…",
    description: "A caller key.",
  },
  caller_key_header: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The same caller key in the header that messages-dialect clients send.",
  },
  session: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "cws_…",
    description: "A signed-in session.",
  },
  session_cookie: {
    type: "apiKey",
    in: "cookie",
    name: "causeway_session",
    description:
      "The same session as a cookie; requests that change something need the server's own origin.",
  },
  operator: {
    type: "http",
    scheme: "bearer",
    description: "The operator token, `CAUSEWAY_ADMIN_TOKEN`.",
  },
};

const schemesOf: Readonly<Record<AcceptedCredentialKind, readonly string[]>> = {
  key: ["caller_key", "caller_key_header"],
  session: ["session", "session_cookie"],
  operator: ["operator"],
};

/** The alternatives of an operation, with the scope where it matters. */
export function buildSecurityRequirements({
  credentials,
  scope,
}: OperationSecurityRequirements): OpenApiOperation["security"] {
  return credentials.flatMap((kind) => {
    const scopes = kind === "key" && scope !== undefined ? [scope] : [];
    return schemesOf[kind].map((scheme) => ({ [scheme]: scopes }));
  });
}

/** The same in a sentence. */
export function formatCredentialRequirementsSentence({
  credentials,
  scope,
}: OperationSecurityRequirements): string {
  if (credentials.length === 0) return "Needs no credential.";
  const names: Readonly<Record<AcceptedCredentialKind, string>> = {
    key: scope === undefined ? "any live caller key" : `a caller key with the scope \`${scope}\``,
    session: "a signed-in session",
    operator: "the operator token",
  };
  return `Needs ${credentials.map((kind) => names[kind]).join(" or ")}.`;
}
