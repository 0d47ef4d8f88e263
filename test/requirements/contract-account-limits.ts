import { tested, type Requirement } from "./requirement.ts";

/** Contract section 13, limits, and section 4: what strangers and former members cannot do. */
export const contractAccountLimits: readonly Requirement[] = [
  ...tested("contract 13, limits", [
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
  ]),
  ...tested("contract 4", [
    [
      "identity.x-api-key",
      "Sessions go as bearer or cookie, the operator token as bearer: x-api-key takes neither.",
      "account/authenticator > x-api-key takes caller keys alone",
      "contract/refusals > in x-api-key is a caller key or 401, over %s",
      "contract/refusals > in x-api-key of a model call is a caller key or 401",
    ],
  ]),
];
