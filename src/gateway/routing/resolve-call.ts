import { whenWarm, type Warm } from "../../platform/warm.ts";
import type { ReadCall } from "../call/read-call.ts";
import type { Directories, ResolvedModel, ResolvedPool } from "./owned-targets.ts";
import { resolveModel } from "./resolve-model.ts";

/** A call, and what the model that it names stands for. */
export interface ResolvedCall extends ReadCall {
  readonly model: ResolvedModel | ResolvedPool;
}

/** Looks up what the model of a call names; synchronous when warm. Throws 400 for one that names nothing. */
export function resolveCall(
  directories: Directories,
  { call, body }: ReadCall,
): Warm<ResolvedCall> {
  const resolved = resolveModel(directories, call.key.principal.accountId, body.model);
  return whenWarm(resolved, (model) => ({ call, body, model }));
}
