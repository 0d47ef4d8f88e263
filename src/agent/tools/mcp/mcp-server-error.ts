import type { DialFailure } from "../../../platform/dial/dial-failure.ts";

/** Why an MCP server gave no result. */
export type McpServerErrorKind =
  | DialFailure
  /** It answered with a redirect, which is not followed. */
  | "redirect"
  /** It answered with an HTTP status that is no success. */
  | "status"
  /** It answered the call with an error of the protocol. */
  | "refused"
  /** What it sent is no MCP. */
  | "unreadable"
  /** It sent more than is read. */
  | "too_large"
  /** It sent more messages than are read. */
  | "too_many"
  /** It sent more than may be held for the account. */
  | "no_memory"
  /** It ended the stream before its answer. */
  | "broken_off"
  /** It wants something of the caller, or of the caller's model, before it answers. */
  | "asks_caller";

export interface McpServerErrorDetails {
  /** HTTP status. */
  readonly status?: number | undefined;
  /** What the server says: it is shown to nobody before it was scrubbed. */
  readonly serverMessage?: string | undefined;
}

/** A failure of an MCP server, in words of ours. */
export class McpServerError extends Error {
  readonly kind: McpServerErrorKind;
  readonly details: McpServerErrorDetails;

  constructor(kind: McpServerErrorKind, details: McpServerErrorDetails = {}) {
    super(`an MCP server failed: ${kind}`);
    this.name = "McpServerError";
    this.kind = kind;
    this.details = details;
  }
}

/** What a model is told of it, behind the name of the server; no address and nothing that the server sent is in it. */
const messages: Readonly<Record<McpServerErrorKind, string>> = {
  blocked_address: "may not be dialled: its address is not allowed",
  dns: "could not be found",
  connect: "could not be reached",
  tls: "has no valid certificate",
  timeout: "did not answer in time",
  reset: "broke the connection off",
  redirect: "answered with a redirect, which is not followed",
  status: "answered with an error",
  refused: "refused the call",
  unreadable: "answered with something that is not MCP over streamable HTTP",
  too_large: "sent more than is read",
  too_many: "sent more messages than are read",
  no_memory: "sent more than the other calls of this account leave room for: make fewer at once",
  broken_off: "ended its answer before it was whole",
  asks_caller: "asked for something in return, which cannot be given here",
};

/** A fault as the rest of a sentence whose subject is the server. */
export function describeMcpServerError({ kind, details: { status } }: McpServerError): string {
  if (kind !== "status" || status === undefined) return messages[kind];
  if (status === 401 || status === 403) {
    return `refused the request (HTTP ${status}): its headers do not authorise it`;
  }
  return `${messages.status} (HTTP ${status})`;
}
