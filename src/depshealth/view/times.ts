import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";

/** A time that may be missing. */
export function millisecondsToOptionalTimestamp(time: number | null): Timestamp | undefined {
  return time === null ? undefined : timestampFromMs(time);
}

/** Midnight of a day, UTC, that may be missing. */
export function utcDayToOptionalTimestamp(day: string | null): Timestamp | undefined {
  return day === null ? undefined : timestampFromMs(Date.parse(day));
}
