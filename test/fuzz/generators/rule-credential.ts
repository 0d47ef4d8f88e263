import type { DescMethod } from "@bufbuild/protobuf";
import fc from "fast-check";
import { readMethodPolicy } from "../../../src/contract/method-policy.ts";
import type { World } from "../run/world.ts";
import type { Headers } from "./credential.ts";

/** One that the method takes. The session that all cases share does not end itself. */
export function credentialFor(method: DescMethod, world: World): fc.Arbitrary<Headers> {
  const { credentials } = readMethodPolicy(method);
  const tokens = credentials
    .filter((kind) => kind !== "session" || method.name !== "SignOut")
    .map((kind) => world[kind]);
  if (tokens.length === 0) return fc.constant({});
  return fc.constantFrom(...tokens).map((token) => ({ authorization: `Bearer ${token}` }));
}
