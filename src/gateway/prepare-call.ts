import type { Answer } from "./answer.ts";
import { dialHeaders, dialPath, dialTargetOf } from "./dial-target.ts";
import { chooseReceiver } from "./lane/choose-receiver.ts";
import type { Outbound } from "./lane/outbound.ts";
import { Exchange, type ExchangeDependencies } from "./lane/exchange.ts";
import type { ModelCall } from "./model-call.ts";
import { planCall } from "./plan.ts";
import type { CallerKey, Warm } from "./ports.ts";
import { readCallBody, withModel, type CallBody } from "./read-call-body.ts";
import { resolveModel, type Directories, type ResolvedModel } from "./resolve-model.ts";
import type { ControlHeaders } from "./control-headers.ts";
import { whenWarm } from "./warm.ts";

/** What an admitted call needs to be served. */
export interface CallDependencies extends ExchangeDependencies {
  readonly directories: Directories;
}

/** A call that was let in: its key and headers are known. */
export interface AdmittedCall {
  readonly call: ModelCall;
  readonly key: CallerKey;
  readonly controls: ControlHeaders;
}

/**
 * Reads the body, plans where the call goes and makes the exchange that serves
 * it, not yet dialled. Synchronous when everything is warm. Throws the refusal.
 */
export function prepareCall(
  dependencies: CallDependencies,
  admitted: AdmittedCall,
  answer: Answer,
  bytes: Buffer,
): Warm<Exchange> {
  const { call, key } = admitted;
  call.requestBytes = bytes.length;
  const body = readCallBody(bytes);
  call.isStream = body.isStream;
  const resolved = resolveModel(dependencies.directories, key.principal.accountId, body.model);
  return whenWarm(resolved, (found) => makeExchange(dependencies, admitted, answer, body, found));
}

function makeExchange(
  dependencies: CallDependencies,
  { call, key, controls }: AdmittedCall,
  answer: Answer,
  body: CallBody,
  resolved: ResolvedModel,
): Exchange {
  const { dialect } = call.surface;
  const { reference, owned } = resolved;
  const plan = planCall({ dialect, key, controls, reference, owned });
  call.plan = plan;
  const target = dialTargetOf(plan.target);
  const outbound: Outbound = {
    path: dialPath(target, call.surface),
    headers: dialHeaders(target, call.surface.dialect, call.headers),
    body: withModel(body, plan.upstreamModel),
    receive: ({ status, headers, dialNext }) =>
      chooseReceiver({ call, answer, target, status, headers, dialNext }),
  };
  return new Exchange(dependencies, call, answer, target, outbound);
}
