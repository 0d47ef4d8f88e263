import { trimCharacter } from "../../platform/trim-character.ts";
/** An operation as its id names it. */
export interface NamedOperation {
  readonly method: string;
  readonly path: string;
}

/** Ids for operations in their order, `get_users_user_id`; one that is taken gets a number. */
export function operationIds(operations: readonly NamedOperation[]): string[] {
  const taken = new Set<string>();
  return operations.map((operation) => {
    const id = freeId(idOf(operation), taken);
    taken.add(id);
    return id;
  });
}

function idOf({ method, path }: NamedOperation): string {
  const words = trimCharacter(path.replaceAll(/[^A-Za-z\d]+/g, "_"), "_");
  return [method.toLowerCase(), words].filter((word) => word !== "").join("_");
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  let number = 2;
  while (taken.has(`${id}_${number}`)) number += 1;
  return `${id}_${number}`;
}
