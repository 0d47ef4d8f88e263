import { tested, type Requirement } from "./requirement.ts";

/** Limits of callers. */
export const limits: readonly Requirement[] = tested([
  [
    "limit.page",
    "The limit of a page is 1 to 100.",
    "contract/paging > answers 400 and names the parameter %s: %j",
  ],
  [
    "limit.session",
    "x-svc-session has 1 to 59 word characters.",
    "contract/model-calls > take a thread id of 1 to 59 word characters",
  ],
  [
    "limit.rate",
    "Model calls have a request bucket per key.",
    "gateway/route/refusals > limit requests per key and say so on every answer",
  ],
  [
    "limit.invite",
    "An invite lives 7 days.",
    "team/invites > has a code, the address and the role, and lives seven days",
  ],
  [
    "limit.tokens",
    "A token estimate is characters divided by 4.",
    "gateway/rpc/models > divides the code points of all text by four, rounded up",
  ],
  [
    "limits.invites",
    "An account mails at most 50 invites a day to addresses that never joined; the next is 429.",
    "team/invite-limit > are 50 a day, whatever the team and however many at once; then 429",
    "team/invite-limit > are refused over Connect as over REST",
    "team/invite-limit > count when they are sent again",
    "team/invite-limit > count no more once their address has joined",
    "team/invite-limit > are counted for the team as well, whoever of it sends",
  ],
  [
    "limits.sign-in-codes",
    "Wrong codes spend only the mailed digits, never the link, which has 128 random bits of its own.",
    "contract/sessions > takes five wrong codes, then not even the right one",
    "contract/sessions > takes the link's code, on the page of the link and over Connect",
    "account/sign-in > wrong codes spend the digits and never the link",
    "account/sign-in > wrong links spend nothing",
  ],
  [
    "limits.sign-in-starts",
    "Starts of a sign-in are limited per requester before per address.",
    "contract/sessions > lets no stranger lock a person out",
    "account/sign-in > is limited per caller and e-mail address, known or not",
    "account/sign-in > is limited per caller's network, also in parallel",
    "account/sign-in > whatever many strangers start, a link that was mailed lately works",
  ],
  [
    "limits.former-makers",
    "A team key whose maker left is refused for ever, also after the maker rejoined.",
    "team/team-keys > is refused for ever once its maker %s, also after the maker rejoined",
    "team/team-keys > made while its maker is removed does not live again",
    "app/keys-of-former-members > team keys whose maker left, or left and is back",
  ],
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
]);
