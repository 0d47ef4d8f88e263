import { NumberedNames } from "../../platform/numbered-names.ts";
import { trimCharacter } from "../../platform/trim-character.ts";

/** An operation as its id names it. */
export interface NamedOperation {
  readonly method: string;
  readonly path: string;
}

/** Ids for operations in their order, `get_users_user_id`; one that is taken gets a number. */
export function operationIds(operations: readonly NamedOperation[]): string[] {
  const names = new NumberedNames();
  return operations.map((operation) => names.take(idOf(operation)));
}

function idOf({ method, path }: NamedOperation): string {
  const words = trimCharacter(path.replaceAll(/[^A-Za-z\d]+/g, "_"), "_");
  return [method.toLowerCase(), words].filter((word) => word !== "").join("_");
}
