import { getOption, type DescMethod } from "@bufbuild/protobuf";
import type { Principal, CallerKeyScope } from "../platform/principal.ts";
import {
  CredentialKind,
  method as methodOption,
  ScopeSchema,
} from "../../gen/ts/causeway/options/v1/options_pb.ts";
import { getRestEnumNames } from "./enum-spelling.ts";

/** A kind of credential that a method can accept. */
export type AcceptedCredentialKind = Exclude<Principal["kind"], "anonymous">;

/** What the descriptor of a method says of who may call it and how (proto options). */
export interface MethodPolicy {
  /** Kinds of credential that are accepted; empty: none is needed and none is read. */
  readonly credentials: readonly AcceptedCredentialKind[];
  /** Scope that a caller key must hold; undefined: any live key will do. */
  readonly scope: CallerKeyScope | undefined;
  /** Whether a team key is refused, which is nobody. */
  readonly personOnly: boolean;
  /** Whether the method takes an `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** HTTP status of a success over REST: 200, 201 or 204. */
  readonly successStatus: number;
  /** Whether the body may be as large as that of a model call. */
  readonly largeBody: boolean;
}

const policies = new WeakMap<DescMethod, MethodPolicy>();

/** Reads the policy of a method from its options. */
export function readMethodPolicy(method: DescMethod): MethodPolicy {
  const known = policies.get(method);
  if (known !== undefined) return known;
  const option = getOption(method, methodOption);
  const policy: MethodPolicy = {
    credentials: option.credentials.map(credentialName),
    scope: getRestEnumNames(ScopeSchema).byNumber.get(option.scope) as CallerKeyScope | undefined,
    personOnly: option.personOnly,
    idempotent: option.idempotencyKey,
    successStatus: option.successStatus === 0 ? 200 : option.successStatus,
    largeBody: option.largeBody,
  };
  policies.set(method, policy);
  return policy;
}

function credentialName(kind: CredentialKind): AcceptedCredentialKind {
  switch (kind) {
    case CredentialKind.KEY:
      return "key";
    case CredentialKind.SESSION:
      return "session";
    case CredentialKind.OPERATOR:
      return "operator";
    default:
      throw new Error(`credential kind ${kind.toString()} is not known`);
  }
}
