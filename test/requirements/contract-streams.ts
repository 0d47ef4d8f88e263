import { tested, type Requirement } from "./requirement.ts";

/** Contract section 13, its limits of streams and of answers that are given again. */
export const contractStreams: readonly Requirement[] = [
  ...tested("contract 13, limits", [
    [
      "streams.most",
      "A key has at most 16 open WatchAliases streams, then 429.",
      "alias/watch-aliases > has at most sixteen streams open",
      "alias/watch-aliases > of many parallel attempts has sixteen streams",
      "process/revocation > counts the streams of a key over all processes",
    ],
    [
      "streams.credential",
      "A stream whose credential has ended is ended within a second, and tells nothing after it.",
      "alias/watch-aliases > of %s ends within a second, as the next call would",
      "alias/watch-aliases > tells nothing of what is written after its credential has ended",
      "process/revocation > ends the streams of a revoked key in every process within a second",
    ],
    [
      "idempotency.rights",
      "An idempotent answer is given again only to a caller who could make the call now.",
      "team/repeated-calls > is 403 for a team key that never had the rank",
      "team/repeated-calls > is 403 for who has lost the rank, by session and team key",
      "team/repeated-calls > is 404 for who is no longer a member",
      "team/repeated-calls > is 409 for whoever %s since",
      "transport/interceptors/idempotency > cannot be served unless it is said who may have",
    ],
  ]),
];
