import { chainMaybePromise, type MaybePromise } from "../../platform/maybe-promise.ts";
import type { CallWithBody } from "../call/read-call.ts";
import type {
  ModelResolutionLookups,
  ResolvedModel,
  ResolvedAliasPool,
} from "./account-targets.ts";
import { resolveModelId } from "./resolve-model.ts";

/** A call, and what the model that it names stands for. */
export interface ResolvedCall extends CallWithBody {
  readonly model: ResolvedModel | ResolvedAliasPool;
}

/** Looks up what the model of a call names; synchronous when warm. Throws 400 for one that names nothing. */
export function resolveCall(
  directories: ModelResolutionLookups,
  { call, body }: CallWithBody,
): MaybePromise<ResolvedCall> {
  const resolved = resolveModelId(directories, call.key.principal.accountId, body.model);
  return chainMaybePromise(resolved, (model) => ({ call, body, model }));
}
