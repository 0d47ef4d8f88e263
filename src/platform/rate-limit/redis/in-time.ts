/** A server that takes longer than it may. */
export class TooLate extends Error {
  override readonly name = "TooLate";

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** What comes of a promise; rejects with `TooLate` when nothing does in time. */
export function inTime<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    // Behind a busy event loop the answer may be there and not read yet: what can
    // be read is read between the timer and `setImmediate`.
    const timer = setTimeout(() => {
      setImmediate(() => reject(new TooLate(milliseconds)));
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
