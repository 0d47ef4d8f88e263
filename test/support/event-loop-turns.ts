/** Returns what work resolves with, and how often the event loop ran other work in between. */
export async function countEventLoopTurns<Result>(
  work: () => Result | Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  try {
    return { result: await work(), turns };
  } finally {
    clearImmediate(next);
  }
}
