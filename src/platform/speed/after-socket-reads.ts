import { AsyncResource } from "node:async_hooks";
import { throwUncaught } from "../uncaught/throw-uncaught.ts";

interface GatheredAction {
  readonly action: () => void;
  /** For whom it runs, whoever was the first to gather. */
  readonly caller: AsyncResource;
}

let actions: GatheredAction[] = [];

/**
 * Runs actions one after the other when the event loop has read what has come on
 * the sockets by now, each for its own caller: what one throws is uncaught there,
 * and the others run. Speed: docs/performance.md, `when-sockets-are-read`.
 */
export function runAfterSocketReads(action: () => void): void {
  if (actions.length === 0) setImmediate(runAll);
  actions.push({ action, caller: new AsyncResource("GatheredAction") });
}

function runAll(): void {
  const due = actions;
  actions = [];
  for (const { action, caller } of due) caller.runInAsyncScope(runAlone, undefined, action);
}

function runAlone(action: () => void): void {
  try {
    action();
  } catch (error) {
    throwUncaught(error);
  }
}
