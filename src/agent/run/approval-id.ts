import { createHash } from "node:crypto";
import type { JsonObject } from "../../dialect/json.ts";
import type { AgentToolSource } from "../../domain/agent-turn.ts";
import { constantTimeEqual, keyedHash } from "../../platform/crypto/keyed-hash.ts";

type ServerTool = Extract<AgentToolSource, { kind: "mcp" }>;

/** Characters of the digest at the end of an id: 96 bits. */
const digestLength = 16;
/** Characters of the signature behind it: 96 bits. Ids of older versions have none. */
const signatureLength = 16;
const boundId = /^(mcpr_[0-9a-z]{1,32}_\d{1,9}_\d{1,9})_[\w-]{16}(?:_[\w-]{16})?$/;

/**
 * Returns the id of a request for an approval. `base` names the call. The id ends with a digest
 * of the server that the request asks about, because each turn assigns its labels and a
 * client that keeps all items itself sends back nothing else that could tell servers apart.
 * Returns `base` for a server of which an older version noted too little.
 */
export function buildMcpApprovalRequestId(base: string, source: ServerTool): string {
  const server = source.itemId ?? source.declaredUrl;
  if (server === undefined) return base;
  const digest = createHash("sha256")
    .update(JSON.stringify([base, server]))
    .digest("base64url");
  return `${base}_${digest.slice(0, digestLength)}`;
}

/** Whether an id says which server was asked about; ids of older versions do not. */
export function isServerBoundApprovalId(id: string): boolean {
  return boundId.test(id);
}

/** Whether the request of this id asked about the server that offers the tool. */
export function isApprovalIdForServer(id: string, source: ServerTool): boolean {
  const base = boundId.exec(id)?.[1];
  if (base === undefined) return false;
  const bound = buildMcpApprovalRequestId(base, source);
  return id.slice(0, base.length + 1 + digestLength) === bound;
}

/** Signs requests for an approval: clients that keep all items themselves send them back. */
export class ApprovalRequestSigner {
  readonly #key: Buffer;

  /** `key`: of this installation, at least 32 random bytes. */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Returns the request with an id that proves its server, tool, call and arguments to the account. */
  sign(accountId: string, request: JsonObject): JsonObject {
    return { ...request, id: `${String(request["id"])}_${this.#signature(accountId, request)}` };
  }

  /** Whether the request was signed for the account, and is as it was. */
  isSigned(accountId: string, request: JsonObject): boolean {
    const id = String(request["id"]);
    const end = id.length - signatureLength - 1;
    const signed = `${id.slice(0, end)}_${this.#signature(accountId, { ...request, id: id.slice(0, end) })}`;
    return constantTimeEqual(signed, id);
  }

  #signature(accountId: string, { id, server_label, name, arguments: text }: JsonObject): string {
    const signed = JSON.stringify([accountId, id, server_label, name, text]);
    return keyedHash(this.#key, signed).toString("base64url").slice(0, signatureLength);
  }
}
