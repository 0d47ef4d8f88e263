import { tested, type Requirement } from "./requirement.ts";

/** Who serves a model call. */
export const routing: readonly Requirement[] = tested([
  [
    "call.route-header",
    "x-svc-route overrides the key's route: byo, credits, auto.",
    "contract/model-calls > beat the key's own route and mode",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "call.mode-header",
    "x-svc-mode overrides the key's mode: model, agent.",
    "contract/model-calls > beat the key's own route and mode",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "call.engine-header",
    "x-svc-engine is omni or absent.",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "call.session-header",
    "x-svc-session is 1 to 59 word characters.",
    "contract/model-calls > take a thread id of 1 to 59 word characters",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "call.body",
    "A JSON body with a string `model` is required.",
    "gateway/route/refusals > name what is wrong with a body that has %s",
    "gateway/route/refusals > refuse a body that is not declared as JSON",
  ],
  [
    "call.other-fields",
    "Other body fields are the dialect's own affair.",
    "contract/model-calls > is never refused for a field that the dialect may have",
  ],
  [
    "call.stream",
    "The answer is JSON, or an event stream when the body says stream: true.",
    "gateway/route/official-clients > get streams, raw and through their helpers",
    "gateway/route/official-clients > get whole answers",
  ],
  [
    "call.chat-pass-through",
    "Chat calls pass through to the own vendor key.",
    "contract/model-calls > reaches its upstream from %s: %s",
  ],
  [
    "call.login",
    "On responses, a linked code-assistant login passes through.",
    "contract/model-calls > reaches its upstream from %s: %s",
    "vendor/login-renewal > is renewed before the call, its headers carried, and saved for every process",
    "vendor/login-renewal > renews the login and makes the call once more, %s",
  ],
  [
    "call.byo",
    "The route byo uses the caller's own credential.",
    "gateway/route/refusals > take every valid x-svc header",
  ],
  [
    "call.transcoded",
    "Chat and messages calls are transcoded to the upstream of the key.",
    "gateway/transcode/matrix > gets a whole answer",
  ],
  [
    "call.agent-chat",
    "Chat with model `agent` runs the caller's agent.",
    "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
  ],
  [
    "call.agent-responses",
    "Responses with `agent` or `agent-omni` runs the caller's agent.",
    "gateway/agent/agent-answers > answers callers of responses, whole, streamed and in the background",
  ],
  [
    "call.engine-pins",
    "x-svc-engine pins the agent to the omni engine.",
    "gateway/agent/agent-choices > is pinned by its model or by the header, and has its instructions before the caller's",
  ],
  [
    "call.credits",
    "The route credits is paid from a wallet.",
    "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
    "wallet/wallet > pays what the vendor told, cached input at its own price",
  ],
  [
    "model-id.custom",
    "custom/<slug>/<id> is a model of a custom endpoint.",
    "contract/model-calls > reaches its upstream from %s: %s",
  ],
  [
    "model-id.vendor",
    "<vendor>/<id> where such a vendor exists; the rest is the id, slashes included.",
    "contract/model-calls > reaches its upstream from %s: %s",
    "gateway/routing/plan > reads %s",
  ],
  [
    "model-id.bare",
    "A bare id means the own vendors in link order.",
    "contract/model-calls > that is bare reaches the vendor that was linked first",
    "gateway/route/pass-through > sends a bare model of a linked vendor",
  ],
  [
    "model-id.alias-unknown",
    "An unknown @token is 400 param model.",
    "gateway/route/refusals > name what is wrong with a body that has %s",
    "contract/model-calls > %s refuses %s with %i %s",
  ],
  [
    "model-id.agent",
    "agent, agent-omni and agent-fast are the agent.",
    "gateway/agent/agent-answers > answers callers of chat, whole and streamed",
    "gateway/agent/agent-choices > is omni for what asks for more, fast for the rest, and omni again in its thread",
  ],
  [
    "model-id.catalogue",
    "A bare id falls to the catalogue.",
    "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
  ],
  [
    "model-id.alias",
    "@token resolves own, then built-in, then catalogue aliases.",
    "alias/alias > name the model of a call, their own before everybody's",
  ],
  [
    "allowed.canonical",
    "allowed_models match the canonical id, after resolution.",
    "contract/model-calls > is looked at after the key's own limits: allowed_models",
  ],
  [
    "allowed.agent",
    "For an agent turn its id and its engine's model must be allowed.",
    "gateway/agent/agent-choices > is 402 where nobody can pay, 403 where nothing is there or the key may not",
  ],
  [
    "route.own",
    "auto uses the caller's own credential where it serves the model.",
    "contract/model-calls > reaches its upstream from %s: %s",
  ],
  [
    "route.none",
    "auto without any credential is 403 no_vendor_credential.",
    "contract/model-calls > of a vendor that is not linked is 403 no_vendor_credential",
  ],
  [
    "route.used",
    "x-svc-route-used says which route served.",
    "contract/model-calls > reaches its upstream from %s: %s",
  ],
  [
    "route.credits-custom",
    "credits with a custom model is 400 param x-svc-route.",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "route.credits",
    "auto falls to credits where the catalogue has the model.",
    "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
  ],
  [
    "route.spent",
    "A spent wallet or budget is 402 with byo_url.",
    "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
  ],
  [
    "route.no-fall-over",
    "A failed own credential never falls over to credits.",
    "wallet/wallet > is never asked for the caller's own credential",
  ],
  [
    "route.catalogue-vendor",
    "credits with <vendor>/<id> means that catalogue entry.",
    "wallet/wallet > is asked by route credits, and by auto where nothing is owned",
  ],
  [
    "mode.header",
    "The header beats the key's mode.",
    "contract/model-calls > beat the key's own route and mode",
  ],
  [
    "mode.agent-as-model",
    "An agent model with x-svc-mode: model is 400 param x-svc-mode.",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "mode.agent-engine",
    "Mode agent with an ordinary model runs the agent on that model.",
    "gateway/agent/agent-choices > is the model that the caller names, in the mode agent",
  ],
  [
    "engine.no-agent",
    "x-svc-engine without the agent is 400 param x-svc-engine.",
    "contract/model-calls > answer 400 and name the header where a call of %s sends %j",
  ],
  [
    "engine.omni",
    "x-svc-engine: omni beats agent-fast.",
    "gateway/agent/agent-choices > is pinned by its model or by the header, and has its instructions before the caller's",
  ],
  [
    "rate.bucket",
    "A token bucket per key: 429 with retry-after.",
    "contract/model-calls > gives 429 in the dialect, with the headers on every answer",
    "platform/rate-limit/request-buckets > lets a burst through",
  ],
  [
    "rate.headers",
    "RateLimit fields and the dialect's own are on every answer of a recognised key.",
    "contract/model-calls > gives 429 in the dialect, with the headers on every answer",
    "gateway/route/refusals > limit requests per key and say so on every answer",
    "contract/caller-keys > on %s with the fields of its bucket all the same",
  ],
]);
