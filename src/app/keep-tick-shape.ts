import { executionAsyncResource } from "node:async_hooks";

let kept: object | undefined;

/**
 * Keeps the object by which Node queues one `process.nextTick`, for as long as the
 * process runs. V8 forgets the shape of objects of which a full collection finds
 * none, and a function that writes such an object with computed keys, as
 * `nextTick` does, is slow ever after: ten of them per call took 4 % of its time.
 * To be called before the first collection, thus first of all.
 */
export function keepTickShape(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
