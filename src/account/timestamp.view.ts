import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";

/** A time that may be missing. */
export function dateToOptionalTimestamp(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}
