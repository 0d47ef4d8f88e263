import type { RoutedCall } from "../call/model-call.ts";
import type { ReadCall } from "../call/read-call.ts";
import { makePlan } from "./plan.ts";
import type { ResolvedCall } from "./resolve-call.ts";

/** A call of which it is decided where it goes, and where else it may go. */
export interface PlannedCall extends ReadCall {
  readonly call: RoutedCall;
  /**
   * The same call with each of the caller's other own routes, to go on to when the
   * first cannot serve it. Only a bare id has several, and its bytes need no other model
   * id, so they are whole.
   */
  readonly others: readonly ResolvedCall[];
}

const noOthers: readonly ResolvedCall[] = [];

/** Decides where a call goes. Throws what `makePlan` does. */
export function planCall(resolved: ResolvedCall): PlannedCall {
  const { call, body, model } = resolved;
  const { key, controls, surface } = call;
  const plan = makePlan({ dialect: surface.dialect, key, controls, ...model });
  const hasOthers = plan.route === "byo" && model.owned.length > 1;
  return { call: { ...call, plan }, body, others: hasOthers ? othersOf(resolved) : noOthers };
}

function othersOf({ call, body, model }: ResolvedCall): readonly ResolvedCall[] {
  const { reference, owned } = model;
  return owned.slice(1).map((target) => ({
    call,
    body,
    model: { reference, owned: [target], sold: undefined },
  }));
}
