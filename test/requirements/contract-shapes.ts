import { tested, type Requirement } from "./requirement.ts";

/** Contract section 5: shapes of answers, and what its operations do. */
export const contractShapes: readonly Requirement[] = [
  ...tested("contract 5", [
    [
      "operations.proto",
      "All operations are in proto with REST routes.",
      "contract/proto > are exactly those of the seeds and the contract",
      "contract/proto > exist for everything but streams",
    ],
    [
      "operations.hand-written",
      "Only the model calls and the three on kept responses are written by hand, REST only.",
      "contract/proto > are exactly those of the seeds and the contract",
      "contract/published-interface > holds every operation that is mounted, under the id of the seeds",
      "contract/published-errors > describes every refusal that its operations send",
      "contract/published-errors > describes an upstream's error %s",
    ],
    [
      "operations.envelope",
      "Lists have the envelope, errors the body of the seeds.",
      "contract/proto > have the envelope of the seed",
      "contract/operations > is refused without a credential",
    ],
    [
      "operations.foreign-json",
      "Foreign JSON is carried as Struct or HttpBody.",
      "contract/json/encode-message > prints foreign JSON as it is",
      "transport/rest/mount > answer an HttpBody raw",
    ],
    [
      "operations.statuses",
      "A POST that creates answers 201, other successes 200.",
      "contract/operations > succeeds over REST with the contract's status",
      "contract/proto > are exactly those of the seeds and the contract",
    ],
    [
      "operations.pages",
      "All lists page like the team lists.",
      "contract/paging > knows every list that is mounted",
      "contract/proto > page like the team lists",
    ],
    [
      "operations.known-address",
      "createUser with a known address is 409.",
      "contract/operator > of a known address are 409: %j",
    ],
    [
      "operations.last-owner",
      "Disabling or deleting the last owner of a team is 409 last_owner.",
      "account/users > changes nothing when a team would lose its last owner",
    ],
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
      "published.openapi",
      "/openapi.json on each port, valid 3.1, with the ids of the seeds.",
      "contract/published-interface > publishes valid OpenAPI 3.1",
      "contract/published-interface > holds every operation that is mounted, under the id of the seeds",
    ],
    [
      "published.docs",
      "/docs renders it.",
      "contract/published-interface > renders it under /docs",
      "transport/docs/docs-routes > renders the document of the same port",
    ],
    [
      "published.errors",
      "/docs/errors explains every code; doc_url points there.",
      "contract/published-interface > and explains every error code under /docs/errors",
      "contract/refusals > carries code, message, doc_url",
    ],
  ]),
  ...tested("contract 5", [
    [
      "items.kinds",
      "Items are mcp `{url, headers?, tools?, approval?}`, rules `{text}`, skills `{name, description, text}`.",
      "team/item/items > makes %j",
      "team/item/items > names %s in %j and saves nothing",
      "team/item/items > limits the tools of an MCP server and their approval, and lets all of them again",
    ],
    ["items.policy", "share_policy decides who may pool.", "team/item/pools > answers %s with %d"],
    [
      "items.answers",
      "poolItem and unpoolItem answer the Item.",
      "team/item/pools > puts an item at the end of the pool, shows it",
      "team/item/pools > of an own item needs no rank",
    ],
    [
      "shape.item",
      "Item has its kind's fields, user_id and two times.",
      "team/item/items > makes %j",
    ],
  ]),
  ...tested("contract 5", [
    [
      "operations.member-owner",
      "The operator makes a member an owner and gets the TeamMember.",
      "team/members > can leave once the operator has made another owner",
    ],
    [
      "operations.team-key",
      "team_id on the operator's key route makes a team key.",
      "team/team-keys > is made by the operator in a member's name",
    ],
  ]),
  ...tested("contract 5", [
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
      "usage.own",
      "A key sees its own usage only.",
      "wallet/wallet > sums calls by day, model and key, of the account or of the key that asks",
    ],
    [
      "aliases.changes",
      "Changes have rev, token, deleted and the alias.",
      "alias/alias > count every write, deletions included, and tell devices what is new",
    ],
  ]),
  ...tested("contract 5", [
    [
      "responses.kept",
      "Kept responses are read and deleted by id.",
      "gateway/response/kept-responses > can be fetched, cancelled and deleted by their own account only",
    ],
  ]),
  ...tested("contract 5", [
    [
      "preview.no-call",
      "A preview calls no upstream and refuses as the call would.",
      "gateway/transcode/preview > shows what a call sends and warns of, and calls nobody",
      "gateway/transcode/preview > refuses what a call refuses, with the same path",
      "gateway/transcode/preview > needs a key with gateway:invoke",
    ],
  ]),
  ...tested("contract 5", [
    [
      "shape.thread",
      "Thread has session, turns_count and times; getThread adds turns.",
      "gateway/agent/agent-threads > is listed, shown with what was said, and deleted with its turns",
    ],
    [
      "responses.replay",
      "A stream is replayed from a sequence number and followed.",
      "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
    ],
    [
      "responses.turns",
      "Agent turns of any dialect are found by the id in x-svc-turn.",
      "gateway/agent/agent-lifecycle > leaves a turn that goes on, and is followed from the beginning at another process",
    ],
  ]),
  ...tested("contract 5", [
    [
      "traffic.parts",
      "Traffic merges; large captures come in parts.",
      "document/services > of one service at the same time are all learned",
      "document/state/merge > gives the same bytes in any order and in any parts",
    ],
  ]),
];
