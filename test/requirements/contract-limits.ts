import { tested, type Requirement } from "./requirement.ts";

/** Contract section 13, limits of what callers can make a process hold. */
export const contractLimits: readonly Requirement[] = [
  ...tested("contract 13, limits", [
    [
      "limits.held-bodies",
      "A process holds held_bodies_mib of request bodies; the next are 503 with retry-after before they are read.",
      "gateway/route/held-bodies > are 503 when the process holds as many as it may",
      "platform/held-bodies > may be a quarter of one holder, and all of all",
    ],
    [
      "limits.held-bodies-key",
      "One key holds at most a quarter; its own excess is 429.",
      "gateway/route/held-bodies > are 429 over the part of one key, before they are read, until one has ended",
      "contract/held-bodies > is 429 with retry-after over HTTP/1.1, declared or not",
      "contract/held-bodies > is 429 with retry-after over HTTP/2 when it is %s",
      "contract/held-bodies > is resource_exhausted over %s, and may be sent smaller",
    ],
    [
      "limits.held-bodies-unknown",
      "Bodies of unknown length count as they arrive.",
      "gateway/route/held-bodies > of unknown length count as they arrive",
    ],
    [
      "limits.held-bodies-released",
      "A body is given back however its call ends.",
      "gateway/route/held-bodies > are given back once when a call %s",
      "gateway/route/held-bodies > leaves no memory taken when its call has ended",
    ],
  ]),
];
