/** Memory is given back only after at least this many bytes were held at once. */
const minReleaseBytes = 64 * 1024 * 1024;

/** How long less than that must be held before memory is given back, in milliseconds. */
const idleBeforeReleaseMs = 3000;

/** Calls a function when many bytes were held and few are: the engine frees memory only while it allocates. */
export class IdleMemoryReleaser {
  readonly #giveBack: () => void;
  #bytes = 0;
  #heldMany = false;
  #isWaiting = false;

  constructor(giveBack: () => void) {
    this.#giveBack = giveBack;
  }

  /** Records how many bytes are held now. */
  record(bytes: number): void {
    this.#bytes = bytes;
    if (bytes >= minReleaseBytes) this.#heldMany = true;
    else if (this.#heldMany && !this.#isWaiting) this.#wait();
  }

  #wait(): void {
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      if (this.#bytes >= minReleaseBytes) return;
      this.#heldMany = false;
      this.#giveBack();
    }, idleBeforeReleaseMs).unref();
  }
}
