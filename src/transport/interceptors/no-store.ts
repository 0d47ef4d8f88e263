import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { readRestFieldPolicy } from "../../contract/field-policy.ts";

const known = new WeakMap<DescMethod, boolean>();

/** Answers that hold a secret, a new key for instance, are for no cache on the way. */
export const noStoreInterceptor: Interceptor = (next) => async (request) => {
  const response = await next(request);
  if (returnsSecret(request.method)) response.header.set("cache-control", "no-store");
  return response;
};

function returnsSecret(method: DescMethod): boolean {
  const found = known.get(method) ?? containsSecret(method.output, new Set());
  known.set(method, found);
  return found;
}

/** Whether a field of the message, or of one inside it, is marked as a secret. */
function containsSecret(desc: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some(
    (field) =>
      readRestFieldPolicy(field).secret ||
      (field.message !== undefined && containsSecret(field.message, seen)),
  );
}
