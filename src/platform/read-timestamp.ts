import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { invalidRequestError } from "./errors.ts";

/** Seconds since the Unix epoch of 0001-01-01 and of 9999-12-31, 23:59:59. */
const firstSecond = -62_135_596_800n;
const lastSecond = 253_402_300_799n;

/**
 * A time that a caller sent. Over the binary protocols it may be one that no calendar
 * has (google.protobuf.Timestamp: years 1 to 9999): 400 with its `param`.
 */
export function requestTimestampToDate(timestamp: Timestamp, param: string): Date {
  const { seconds, nanos } = timestamp;
  const isTime = seconds >= firstSecond && seconds <= lastSecond && nanos >= 0 && nanos < 1e9;
  if (!isTime)
    throw invalidRequestError(param, `\`${param}\` must be a time of the years 1 to 9999.`);
  // Whole milliseconds: rounded up, the last nanosecond of 9999 would be in the year 10000.
  return timestampDate({ ...timestamp, nanos: nanos - (nanos % 1_000_000) });
}
