import { invalidRequestError } from "../platform/errors.ts";

/** From a time on, up to another that is not included; undefined: without that end. */
export interface TimeRange {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** As a request says it. */
interface AskedRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const dayPattern = /^\d{4}-\d\d-\d\d$/;
const dayMs = 24 * 60 * 60_000;

/** Whatever is asked for lies in between, and the database knows no times far from here. */
const [first, last] = [0, Date.parse("9999-12-31T23:59:59.999Z")];

/**
 * The times that `from` and `to` of a request say: each a day, 2026-11-20, or an
 * RFC 3339 time; a day is included whole. Throws 400 with the `param` for a time that
 * is none.
 */
export function readTimeRange({ from, to }: AskedRange): TimeRange {
  return {
    from: from === undefined ? undefined : within(readTime(from, "from")),
    to: to === undefined ? undefined : within(endOf(to)),
  };
}

/** A day is over when the next begins. */
function endOf(to: string): number {
  return readTime(to, "to") + (dayPattern.test(to) ? dayMs : 0);
}

function within(time: number): Date {
  return new Date(Math.min(Math.max(time, first), last));
}

function readTime(text: string, param: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw invalidRequestError(
    param,
    `\`${param}\` must be a day such as 2026-11-20, or an RFC 3339 time.`,
  );
}
