import { UniqueNameAllocator } from "../../platform/numbered-names.ts";
import { trimCharacter } from "../../platform/trim-character.ts";

/** An operation as its id names it. */
export interface OperationRoute {
  readonly method: string;
  readonly path: string;
}

/** Ids for operations in their order, `get_users_user_id`; one that is taken gets a number. */
export function buildOperationIds(operations: readonly OperationRoute[]): string[] {
  const names = new UniqueNameAllocator();
  return operations.map((operation) => names.take(idOf(operation)));
}

function idOf({ method, path }: OperationRoute): string {
  const words = trimCharacter(path.replaceAll(/[^A-Za-z\d]+/g, "_"), "_");
  return [method.toLowerCase(), words].filter((word) => word !== "").join("_");
}
