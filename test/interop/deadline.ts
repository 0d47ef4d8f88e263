/** After so long a bench begins nothing new, so that a run takes no more than twenty minutes. */
const beginsForMs = 15 * 60_000;

/** Said of what was not begun. */
export const tooLate = "the time of the run was over; try it alone";

/** Starts the time of a run. The function says whether it is over. */
export function startDeadline(): () => boolean {
  const startedAt = performance.now();
  return () => performance.now() - startedAt > beginsForMs;
}
