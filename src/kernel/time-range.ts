import { invalidRequest } from "../platform/errors.ts";

/** From a time on, up to another that is not included. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** As a request says it. */
interface AskedRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The times that `from` and `to` of a request say: each a day, 2026-11-20, or an
 * RFC 3339 time; a day is included whole. Not sent: from the beginning, up to the end.
 * Throws 400 with the `param` for a time that is none.
 */
export function readTimeRange({ from, to }: AskedRange): TimeRange {
  return { from: readTime(from, "from", "1970-01-01"), to: endOf(to) };
}

const dayForm = /^\d{4}-\d\d-\d\d$/;
const dayMs = 24 * 60 * 60_000;

/** A day is over when the next begins. */
function endOf(to: string | undefined): Date {
  const time = readTime(to, "to", "9999-12-31");
  const isDay = to !== undefined && dayForm.test(to);
  return isDay ? new Date(time.getTime() + dayMs) : time;
}

function readTime(text: string | undefined, param: string, otherwise: string): Date {
  const time = new Date(text ?? otherwise);
  if (Number.isNaN(time.getTime())) {
    throw invalidRequest(
      param,
      `\`${param}\` must be a day such as 2026-11-20, or an RFC 3339 time.`,
    );
  }
  return time;
}
