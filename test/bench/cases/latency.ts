import { turnLimitMs } from "./limits.ts";
import { roundsCase } from "./rounds.ts";

const perSecond = 1000;

/** Constant arrival of 1 KB calls: what a server adds to the time of an answer. */
export const latency = roundsCase({
  name: "latency",
  title: `latency at ${perSecond} requests/s, 1 KB, chat`,
  goal: "added p50 at most 1.8 x nginx's",
  unit: "request",
  latency: "answer",
  added: "ratio",
  warmUp: "one turn",
  call: () => ({
    dialect: "chat",
    upstreamDialect: "chat",
    upstream: "answers",
    bytes: 1024,
    maxTokens: 256,
  }),
  measure: (target, { load, settings }) =>
    load.run({
      kind: "open-loop",
      ...target,
      requests: Math.ceil((settings.windowMs * perSecond) / 1000),
      perSecond,
      deadlineMs: turnLimitMs,
    }),
});
