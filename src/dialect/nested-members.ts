import { asObject, setOwnMember } from "./json.ts";

/**
 * Collects members by their dotted names: `outer.inner` is a member of the object `outer`. That
 * object is copied when its first such member comes, and not for each: a caller may send many.
 */
export class NestedObjectBuilder {
  readonly members: Record<string, unknown> = {};
  readonly #copies = new Map<string, Record<string, unknown>>();

  set(name: string, value: unknown): void {
    const [outer = name, inner] = name.split(".", 2);
    if (inner === undefined) this.#setWhole(name, value);
    else setOwnMember(this.#copies.get(outer) ?? this.#copy(outer), inner, value);
  }

  #setWhole(name: string, value: unknown): void {
    this.#copies.delete(name);
    setOwnMember(this.members, name, value);
  }

  #copy(outer: string): Record<string, unknown> {
    const copy = { ...asObject(this.members[outer]) };
    this.#copies.set(outer, copy);
    setOwnMember(this.members, outer, copy);
    return copy;
  }
}
