/** A server that takes longer than it may. */
export class RedisTimeoutError extends Error {
  override readonly name = "TimeoutExceededError";

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** Turns of the event loop, at least, in which an answer can come. */
const slices = 5;

/**
 * What comes of a promise; rejects with `RedisTimeoutError` when nothing does in time. The
 * time is waited for in slices, so that a process that is busy or short of time
 * itself, which neither asks nor hears meanwhile, does not take that for a fault of
 * the server: standing still counts for one slice, however long it was.
 */
export function withRedisReplyTimeout<Value>(
  promise: Promise<Value>,
  milliseconds: number,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      if (left === 0) reject(new RedisTimeoutError(milliseconds));
      else timer = setTimeout(wait, milliseconds / slices, left - 1);
    };
    wait(slices);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
