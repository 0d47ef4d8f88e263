import { create } from "@bufbuild/protobuf";
import { TimestampSchema, timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidRequestError } from "../../platform/errors.ts";
import { wrongJsonTypeError } from "./decode-scalar.ts";

const rfc3339 =
  /^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Reads an RFC 3339 time with any offset and up to nine decimals; a day that no calendar has is refused. */
export function decodeRfc3339Timestamp(json: unknown, path: string): Timestamp {
  if (typeof json !== "string") throw wrongJsonTypeError(path, "an RFC 3339 time", json);
  const [, day = "", time = "", fraction = "", offset = ""] = rfc3339.exec(json) ?? [];
  const milliseconds = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  if (!isCalendarDay(day) || !isRepresentable(milliseconds)) {
    throw invalidRequestError(
      path,
      `\`${path}\` must be an RFC 3339 time such as 2026-11-20T23:00:00.000Z.`,
    );
  }
  const timestamp = create(TimestampSchema);
  timestamp.seconds = BigInt(milliseconds / 1000);
  timestamp.nanos = Number(fraction.padEnd(9, "0"));
  return timestamp;
}

/** `Date` rolls the 30th of February over into March instead of refusing it. */
function isCalendarDay(day: string): boolean {
  if (Number(day.slice(-2)) <= 28) return true;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Timestamps end with the year 9999 and begin with the year 1. */
function isRepresentable(milliseconds: number): boolean {
  return milliseconds >= -62_135_596_800_000 && milliseconds <= 253_402_300_799_000;
}

/** Prints a time in UTC with exactly three decimals. */
export function encodeTimestamp(timestamp: Timestamp): string {
  return new Date(timestampMs(timestamp)).toISOString();
}
