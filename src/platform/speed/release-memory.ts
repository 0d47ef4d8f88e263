/**
 * Frees what a start, or large bodies that were held, leave behind, of which V8 by
 * itself would keep 20 MB of a start and all of the bodies until something new is made:
 * it lets old garbage grow in proportion to what was there when it last looked, and
 * that was in the middle of it. For rare moments, because all work stands still for
 * about 150 ms. Does nothing without `--expose-gc`, which the program gives.
 */
export function forceGarbageCollection(): void {
  globalThis.gc?.({ type: "major", flavor: "last-resort", execution: "sync" });
}
