import { tested, type Requirement } from "./requirement.ts";

/** Calls that may be made twice. */
export const idempotency: readonly Requirement[] = tested([
  [
    "idempotency.where",
    "Operations that create, invite, resend, accept or add credits take an Idempotency-Key.",
    "contract/proto > take an idempotency key where the contract says so",
    "contract/idempotency > makes one user and gives its answer again",
  ],
  [
    "idempotency.scope",
    "An Idempotency-Key counts per account and route.",
    "contract/idempotency > belongs to one account and one operation",
  ],
  [
    "idempotency.kept",
    "2xx answers are kept sealed for 24 hours and given again, over every protocol.",
    "contract/idempotency > gives its answer again over %s",
    "contract/idempotency > keeps its answer sealed",
    "account/idempotency-store > answers are kept sealed, for 24 hours",
  ],
  [
    "idempotency.refused",
    "Refusals are not kept for an Idempotency-Key.",
    "contract/idempotency > keeps no refusal",
  ],
  [
    "idempotency.running",
    "While the first call runs, another one with its Idempotency-Key is 409 conflict.",
    "contract/idempotency > runs once of many at the same time",
  ],
  [
    "idempotency.other-body",
    "Another body under the same Idempotency-Key is 400 with param Idempotency-Key.",
    "contract/idempotency > is 400 with another body",
  ],
  [
    "idempotency.length",
    "An Idempotency-Key has 1 to 255 characters.",
    "contract/idempotency > needs 1 to 255 characters and is refused with %s",
  ],
  [
    "idempotency.secrets",
    "Operations whose answer holds a new secret do not take it.",
    "contract/idempotency > do not take one",
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
]);
