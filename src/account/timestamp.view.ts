import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";

/** A time that may be missing. */
export function toOptionalTimestamp(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}
