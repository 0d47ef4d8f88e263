/** A small set whose members leave after a fixed time; the oldest make room when it is full. */
export class ExpiringSet {
  readonly #until = new Map<string, number>();
  readonly #capacity: number;
  readonly #lifetimeMs: number;

  constructor(capacity: number, lifetimeMs: number) {
    this.#capacity = capacity;
    this.#lifetimeMs = lifetimeMs;
  }

  has(member: string, now: number): boolean {
    const until = this.#until.get(member);
    if (until === undefined) return false;
    if (now < until) return true;
    this.#until.delete(member);
    return false;
  }

  add(member: string, now: number): void {
    this.#until.delete(member);
    this.#until.set(member, now + this.#lifetimeMs);
    if (this.#until.size <= this.#capacity) return;
    const [oldest] = this.#until.keys();
    if (oldest !== undefined) this.#until.delete(oldest);
  }
}
