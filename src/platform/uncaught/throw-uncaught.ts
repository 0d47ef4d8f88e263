/** Throws it where nobody can catch it, for whom the running code works. */
export function throwUncaught(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}
