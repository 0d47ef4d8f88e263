import { executionAsyncResource } from "node:async_hooks";

let kept: object | undefined;

/**
 * Keeps the object by which Node queues one `process.nextTick`, for as long as the
 * process runs: V8 forgets the shape of objects of which a full collection finds none.
 * To be called before the first collection, thus first of all. Speed:
 * docs/performance.md, `keep-tick-shape`.
 */
export function pinNextTickObjectShape(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
