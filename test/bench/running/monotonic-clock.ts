/** Milliseconds of the machine's monotonic clock, comparable between processes. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
