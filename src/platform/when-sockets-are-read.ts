let actions: (() => void)[] = [];

/**
 * Runs actions, which must not throw, one after the other when the event loop has
 * read what has come on the sockets by now. Writes that go out together wake their
 * reader once: one to a process of this machine that sleeps costs twice what it
 * costs to one that is awake, and between two writes that each follow a read of
 * another socket it falls asleep again.
 */
export function whenSocketsAreRead(action: () => void): void {
  if (actions.length === 0) setImmediate(runAll);
  actions.push(action);
}

function runAll(): void {
  const due = actions;
  actions = [];
  for (const action of due) action();
}
