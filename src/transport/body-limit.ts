import type { DescMethod } from "@bufbuild/protobuf";
import { methodPolicy } from "../contract/method-policy.ts";

/** Bytes that the body of an ordinary method may have, over every protocol. */
export const ordinaryBodyBytes = 1024 * 1024;

/** Bytes that the body of a call of the method may have; `largeBodyBytes`: on methods with `large_body`. */
export function bodyLimitOf(method: DescMethod, largeBodyBytes: number): number {
  return methodPolicy(method).largeBody ? largeBodyBytes : ordinaryBodyBytes;
}
