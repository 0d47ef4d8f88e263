import { tested, type Requirement } from "./requirement.ts";

/** Contract section 12. */
export const contractAliasTargets: readonly Requirement[] = [
  ...tested("contract 12", [
    [
      "pool.targets",
      "An alias may have 2 to 8 targets, a strategy and affinity; what does not fit together is 400 with its param.",
      "alias/alias-targets > refuses %j with param %s",
    ],
    [
      "pool.order",
      "order: the first that is not resting.",
      "gateway/routing/alias-pool > calls the first, with its own model id, and says which answered",
      "gateway/routing/alias-pool > has no call for the time that its vendor says",
    ],
    [
      "pool.weighted",
      "weighted: by weight.",
      "gateway/routing/order-targets > holds weights within three points over 10,000 calls: %j, %j",
      "gateway/routing/pool-choice > spreads calls by weight",
    ],
    [
      "pool.fastest",
      "fastest: the least average of time to first byte, one call in twenty trying another.",
      "gateway/routing/order-targets > prefers the fastest, and tries another with one call in twenty",
      "gateway/routing/pool-choice > learns who answers soonest",
    ],
    [
      "pool.goes-on",
      "408, 409, 429, 5xx, connect failures and time-outs before the first byte go on, each target once at most.",
      'gateway/routing/alias-pool > goes on after %d"',
      "gateway/routing/alias-pool > goes on when a target cannot be reached, and dials none twice",
      "gateway/routing/alias-pool > goes on after a time-out before the first byte",
      "gateway/routing/alias-pool > goes on when a stream begins with an error",
      "gateway/routing/killed-target > no caller sees that one of two targets was killed, and it is left alone",
    ],
    [
      "pool.refused",
      "401 and 402 of a target go on and it rests 60 s; its 403 goes on without a rest.",
      "gateway/routing/alias-pool > rests for a minute after %d",
      "gateway/routing/alias-pool > is called again at once after 403",
    ],
    [
      "pool.own-402",
      "Our own 402 is the answer.",
      "wallet/alias-pool > answers with the 402 of the wallet, which is no failure of a target",
    ],
    [
      "pool.final",
      "Other 4xx are the answer.",
      "gateway/routing/alias-pool > answers with %d of a target",
    ],
    [
      "pool.rests",
      "429 rests for its retry-after, at most 60 s; five failures in a row for 10 s.",
      "gateway/routing/alias-pool > rests for a minute at most",
      "gateway/routing/alias-pool > rests for ten seconds after five failures in a row",
      "gateway/routing/alias-pool > counts failures in a row only",
    ],
    [
      "pool.all-rest",
      "With all resting, the one that rests least is called.",
      "gateway/routing/alias-pool > has the call when all others rest longer",
    ],
    [
      "pool.last-failure",
      "When all fail, the last failure is the answer.",
      "gateway/routing/alias-pool > answers with the last failure when all fail",
      "gateway/routing/between-targets > ends with the first failure when there is no next after all",
    ],
    [
      "pool.direct",
      "Calls that name a model directly ignore rests.",
      "gateway/routing/alias-pool > is called by those who name its model",
    ],
    [
      "pool.affinity",
      "affinity session: by x-svc-session, else prompt_cache_key, else metadata.user_id, at any process.",
      "gateway/routing/pool-choice > sends a session to the same target at two processes",
      "gateway/routing/pool-choice > takes prompt_cache_key where there is no x-svc-session",
      "gateway/routing/pool-choice > takes metadata.user_id of messages callers",
      "gateway/routing/pool-choice > leaves a target while it rests, and comes back",
    ],
    [
      "pool.previous",
      "A call whose previous_response_id one target's vendor keeps goes only there.",
      "gateway/routing/knowing-target > reaches who knows it: %s, %s, %s",
      "gateway/routing/knowing-target > goes nowhere else when that one fails",
    ],
    [
      "pool.credits",
      "No target moves a call from own credentials to credits unless it says route: credits.",
      "wallet/alias-pool > moves a call to credits where the target says so",
      "wallet/alias-pool > moves none where no target says so",
    ],
    [
      "pool.own-price",
      "Each target has its own price; a failed attempt costs what its vendor reported.",
      "wallet/alias-pool > charges the one that answered, at its own price",
      "wallet/alias-pool > charges a failed one that reported what it used",
      "wallet/alias-pool > charges nothing when all fail",
    ],
    [
      "pool.passed-over",
      "A target that the key may not use is passed over.",
      "gateway/routing/alias-pool > passes over a target that the key may not use",
      "gateway/routing/alias-pool > passes over a target without a credential",
    ],
    [
      "pool.target-header",
      "x-svc-target on every answer to a model call is the canonical id that answered.",
      "gateway/routing/alias-pool > calls the first, with its own model id, and says which answered",
      "gateway/route/pass-through > passes the answer on with its content type and nothing else",
    ],
    [
      "pool.health",
      "A resting custom endpoint is asked once in its rest; /v1/upstreams shows health.",
      "upstream/upstream-health > says that it rests, since when and why",
      "upstream/upstream-health > is asked for once in a rest, and ends the rest when it answers",
    ],
  ]),
];
