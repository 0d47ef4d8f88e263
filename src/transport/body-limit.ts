import type { DescMethod } from "@bufbuild/protobuf";
import { readMethodPolicy } from "../contract/method-policy.ts";

/** Bytes that the body of an ordinary method may have, over every protocol. */
export const defaultMaxBodyBytes = 1024 * 1024;

/**
 * Bytes that the body of a method without a credential may have, because anyone makes the
 * server parse it. The largest that is valid has a manifest of 60,000 characters of four bytes.
 */
export const anonymousMaxBodyBytes = 256 * 1024;

/** Bytes that the body of a call of the method may have; `largeBodyBytes`: on methods with `large_body`. */
export function methodBodyLimit(method: DescMethod, largeBodyBytes: number): number {
  const { largeBody, credentials } = readMethodPolicy(method);
  if (largeBody) return largeBodyBytes;
  return credentials.length === 0 ? anonymousMaxBodyBytes : defaultMaxBodyBytes;
}
