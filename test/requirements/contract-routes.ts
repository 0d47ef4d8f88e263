import { tested, type Requirement } from "./requirement.ts";

/** Contract sections 10 and 11: what is asked of the gateway's port beside model calls. */
export const contractRoutes: readonly Requirement[] = [
  ...tested("contract 11, what clients look at", [
    [
      "clients.responses-endpoint",
      "A custom endpoint may be dialect_responses, on create and PATCH; auto never chooses it.",
      "contract/endpoints > takes dialect_responses, which passes for its own callers and is transcoded for others",
      "contract/endpoints > never chooses dialect_responses by itself",
      "contract/patch > probes again for another %s",
    ],
    [
      "clients.query",
      "Query parameters pass with own credentials in the same dialect, else they are ignored.",
      "gateway/route/pass-through > passes the query of the address on",
      "gateway/transcode/requests > reach the upstream without the query of the caller's address",
      "gateway/credits/kept-on-credits > reach the vendor byte for byte but for what must change",
    ],
  ]),
];
