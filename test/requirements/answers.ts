import { tested, type Requirement } from "./requirement.ts";

/** Shapes of answers. */
export const answers: readonly Requirement[] = tested([
  [
    "shape.user",
    "User has id, object, email, name, created_at, disabled_at.",
    "contract/operator > are made with 201 and every field of the contract",
  ],
  [
    "shape.session",
    "Session has id, object and three times.",
    "contract/sessions > is shown with its times, and to nobody else",
  ],
  [
    "shape.vendor",
    "Vendor has id, object, label, dialects, linked, linked_at and maybe probe.",
    "contract/vendors > shows each vendor, linked or not",
  ],
  [
    "shape.audit",
    "An audit event says type, time, actor, address, request, target, before and after.",
    "contract/sessions > says who changed what from where, without a secret",
    "team/audit > is a person, a key, the operator or nobody, told apart",
    "team/audit > names the invited address, to nobody else, until its person goes",
  ],
  [
    "shape.deleted",
    "Deletions answer id, object and deleted true.",
    "contract/caller-keys > when its user is deleted",
    "contract/sessions > that is revoked is 401",
  ],
  [
    "shape.revoked-key",
    "revokeKey answers the key, which stays in the list.",
    "contract/caller-keys > when it is revoked, for ever, and stays in the list",
  ],
  [
    "shape.sign-out",
    "signOut answers ok.",
    "contract/sessions > that signs out is 401, and its cookie is cleared",
  ],
  [
    "shape.unlinked",
    "unlinkVendor answers the vendor.",
    "contract/vendors > answers with the vendor, not linked any more, again and again",
  ],
  [
    "shape.item",
    "Item has its kind's fields, user_id and two times.",
    "team/item/items > makes an item of %j",
  ],
  [
    "shape.wallet",
    "Wallet has balance_usd and held_usd; addCredits answers it.",
    "wallet/wallet > is filled by the operator, of people and teams",
  ],
  [
    "shape.usage",
    "A usage row has its group, counts, tokens, cost and `estimated`.",
    "wallet/wallet > sums calls by day, model and key, of the account or of the key that asks",
  ],
  [
    "shape.thread",
    "Thread has session, turns_count and times; getThread adds turns.",
    "gateway/agent/agent-threads > is listed, shown with what was said, and deleted with its turns",
  ],
]);
