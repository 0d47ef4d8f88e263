import { tokenPeriodMs } from "../wire/response-sizes.ts";
import type { DialectName } from "../wire/dialects.ts";
import type { Case, Settings } from "./case.ts";
import { turnLimitMs } from "./limits.ts";
import { roundsCase } from "./rounds.ts";

const spreadMs = 100;

/** Long enough that every stream still runs when the window ends. */
function tokensPerStream(settings: Settings): number {
  return Math.ceil((2 * spreadMs + settings.windowMs + 200) / tokenPeriodMs);
}

/** Paced streams side by side: CPU time per token, and the time to the first token. */
export function pacedStreams(
  name: string,
  title: string,
  goal: string,
  dialect: DialectName,
  upstreamDialect: DialectName,
): Case {
  return roundsCase({
    name,
    title,
    goal,
    unit: "token",
    latency: "first token",
    added: "difference",
    warmUp: "one turn",
    call: ({ settings }) => ({
      dialect,
      upstreamDialect,
      upstream: "streams",
      bytes: 1024,
      maxTokens: tokensPerStream(settings),
    }),
    measure: (target, { load, settings }) =>
      load.run({
        kind: "paced-streams",
        ...target,
        streams: settings.streams,
        tokensPerStream: tokensPerStream(settings),
        spreadMs,
        windowMs: settings.windowMs,
        deadlineMs: turnLimitMs,
      }),
  });
}

/** Caller and upstream both speak chat. */
export const streams = pacedStreams(
  "streams",
  "paced streams, one token per 20 ms, chat",
  "at most 2.2 x nginx per token, first token after at most 0.5 ms more, no stall",
  "chat",
  "chat",
);
