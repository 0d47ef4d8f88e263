import type { CallWriter } from "../call-log/call-writer.ts";
import type { TestInstance, TestUser } from "../support/test-instance.ts";

/** What a case builds its request in: a user with everything, and an upstream that answers. */
export interface CaseWorld {
  readonly causeway: TestInstance;
  readonly user: TestUser;
  /** Base address of a chat upstream that lists one model. */
  readonly upstreamUrl: string;
  /** Keeps calls in the server's database. */
  readonly writer: CallWriter;
}

/** The fields of a request as REST spells them, path parameters included, and a credential if not the default. */
export interface CaseRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly token?: string;
}

/** How one operation of the contract is tried. */
export interface OperationCase {
  /**
   * A request that succeeds; called again for each protocol. `keyId`: the key of the
   * user that will send it, where a key does.
   */
  happy(world: CaseWorld, keyId?: string): Promise<CaseRequest> | CaseRequest;
  /** Path parameters that name nothing, where that is a 404; `never`: whatever they name will do. */
  readonly unknown?: Readonly<Record<string, string>> | "never";
  /** Fields that make the happy request a 400, and the `param` that names them. */
  readonly invalid?: { readonly fields: Readonly<Record<string, unknown>>; readonly param: string };
}
