import { asObject, setOwnMember } from "./json.ts";
import type { UnmappedRequestField } from "./neutral-request.ts";

/**
 * Collects members of a request and of its objects. An object is copied when its first such
 * member comes, and not for each: a caller may send many.
 */
export class RequestExtraFieldsBuilder {
  readonly members: Record<string, unknown> = {};
  readonly #copies = new Map<string, Record<string, unknown>>();

  set({ outer, member, value }: Pick<UnmappedRequestField, "outer" | "member" | "value">): void {
    if (outer === undefined) this.#setWhole(member, value);
    else setOwnMember(this.#copies.get(outer) ?? this.#copy(outer), member, value);
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
