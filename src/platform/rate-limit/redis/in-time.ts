/** A server that takes longer than it may. */
export class TooLate extends Error {
  override readonly name = "TooLate";

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** A timer that is later than this tells that the process itself stood still. */
const punctualMs = 10;

/**
 * What comes of a promise; rejects with `TooLate` when nothing does in time. A
 * process that stood still meanwhile, behind other work or on a machine that is
 * short of time, could neither ask nor hear, and waits once more for as long.
 */
export function inTime<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const due = performance.now() + milliseconds;
    const giveUp = () => reject(new TooLate(milliseconds));
    let timer = setTimeout(() => {
      if (performance.now() < due + punctualMs) giveUp();
      else timer = setTimeout(giveUp, milliseconds);
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
