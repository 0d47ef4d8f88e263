import type { SealedValueBinding, SecretBox } from "../../platform/crypto/secret-box.ts";
import type { ExtraHeaders } from "../../platform/endpoint/header-rules.ts";
import type { AgentExtension } from "./item.entity.ts";

const table = "items";
const column = "headers";

/** What `causeway keys rewrap` moves to another master key. */
export const agentExtensionSealedColumns = [{ table, column, rowId: "id" }];

/** Seals and opens the request headers of an MCP server, bound to their row. */
export class AgentExtensionHeaderSealer {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** Null for no headers. */
  seal(id: string, headers: ExtraHeaders): string | null {
    if (Object.keys(headers).length === 0) return null;
    return this.#box.seal(JSON.stringify(headers), binding(id));
  }

  /** The headers as the owner spelled them. Throws `SealError`. */
  open({ id, headers }: Pick<AgentExtension, "id" | "headers">): ExtraHeaders {
    if (headers === null) return {};
    return JSON.parse(this.#box.open(headers, binding(id))) as ExtraHeaders;
  }
}

function binding(row: string): SealedValueBinding {
  return { table, row, column };
}
