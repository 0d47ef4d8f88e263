import { tested, type Requirement } from "./requirement.ts";

/** What is asked of a request. */
export const requests: readonly Requirement[] = tested([
  [
    "order.401",
    "401 comes before everything else.",
    "contract/refusals > 401 before everything else",
  ],
  [
    "order.403",
    "403 for a scope comes before 400 and 404.",
    "contract/refusals > 403 before 400 and 404",
  ],
  ["order.400", "400 comes before 404.", "contract/refusals > 400 before 404"],
  ["order.409", "409 comes after 404.", "contract/refusals > 404 before 409"],
  [
    "order.rank",
    "403 for a rank comes after 404 and before 409.",
    "team/members > that is nobody is 404 before 403 for the rank",
    "team/invites > refuses a rank that is too low before it says that the invite is over",
  ],
  [
    "input.unknown-field",
    "An unknown field, camelCase included, is 400 with its param.",
    "contract/refusals > creating a key answers 400 and names %s: %j",
    "contract/operations > refuses a field that it does not know, over REST",
  ],
  [
    "input.wrong-type",
    "A wrong type is 400 with its param.",
    "contract/refusals > creating a key answers 400 and names %s: %j",
  ],
  [
    "input.null",
    "null where nothing is clearable is 400.",
    "contract/refusals > creating a key answers 400 and names %s: %j",
    "contract/patch > refuses null for %s",
  ],
  [
    "input.param",
    "param is the exact path, indexes included.",
    "contract/refusals > creating a key answers 400 and names %s: %j",
    "transport/rest/bind > names the item of a list of messages",
  ],
  [
    "input.query",
    "Unknown query parameters are ignored, known ones checked.",
    "contract/refusals > and an unknown query parameter is not",
    "contract/paging > ignores parameters that it does not know",
  ],
  [
    "input.connect",
    "Connect ignores unknown fields.",
    "contract/refusals > an unknown field is ignored",
  ],
  [
    "input.model-bodies",
    "Model bodies are never refused for an unknown field.",
    "contract/model-calls > is never refused for a field that the dialect may have",
  ],
  [
    "length.names",
    "Names and labels have 1 to 200 code points, trimmed.",
    "contract/limits > names and labels have 1 to 200 code points",
    "contract/refusals > creating a key answers 400 and names %s: %j",
  ],
  ["length.base-url", "A base_url has at most 2048 characters.", "contract/limits > an endpoint"],
  [
    "length.api-key",
    "An api_key has 1 to 4096 characters, none of them a control character.",
    "contract/limits > an endpoint",
    "contract/limits > a vendor credential",
  ],
  [
    "length.alias",
    "The label of an alias has at most 200 code points.",
    "alias/alias > refuse the token %s with the body %j and name %s",
  ],
  [
    "patch.sent",
    "Only the fields sent change.",
    "contract/patch > changes %s to %j and nothing else",
  ],
  [
    "patch.mask",
    "Over Connect a field mask decides; absent: every set field.",
    "contract/patch > changes what the mask names",
    "contract/patch > changes every field that is set where no mask is sent",
  ],
  ["patch.empty", "{} is 200 and changes nothing.", "contract/patch > changes nothing for {}"],
  [
    "patch.merge",
    "A key's budget and rate_limit are merged with what is sent of them (RFC 7396).",
    "contract/patch > merges the members that are sent into %s",
    "contract/patch > answers 400 and names %s where the key has nothing to merge %j with",
  ],
  [
    "patch.whole",
    "Lists and maps are replaced whole.",
    "contract/patch > replaces lists and maps whole",
  ],
  [
    "patch.null",
    "null clears a key's budget, rate_limit and expires_at, elsewhere it is 400.",
    "contract/patch > changes %s to %j and nothing else",
    "contract/patch > cannot clear %s with null",
    "contract/patch > refuses null for %s",
  ],
  [
    "list.envelope",
    "A list has object, data, has_more, first_id and last_id.",
    "contract/proto > have the list envelope",
    "contract/endpoints > has the envelope",
    "contract/vendors > shows each vendor, linked or not",
  ],
  [
    "list.ids",
    "first_id and last_id are the cursors to the neighbouring pages, or null.",
    "contract/paging > gives every row once, in one order, forwards and backwards",
    "contract/paging > gives nulls on an empty page",
  ],
  [
    "page.limit",
    "The limit of a page is 1 to 100 and 20 where none is sent.",
    "contract/paging > answers 400 and names the parameter %s: %j",
    "contract/paging > have 20 rows where no limit is sent, 100 at most",
  ],
  [
    "page.after",
    "after_id asks for the page after that row.",
    "contract/paging > gives every row once, in one order",
  ],
  [
    "page.before",
    "before_id asks for the page before that row.",
    "contract/paging > gives the page right before a cursor in list order",
  ],
  [
    "page.invalid",
    "An invalid parameter of a page is 400 and named by param.",
    "contract/paging > answers 400 and names the parameter %s: %j",
  ],
  [
    "pages.default",
    "A page has 20 rows by default.",
    "contract/paging > have 20 rows where no limit is sent, 100 at most",
  ],
  [
    "pages.removed",
    "A cursor keeps working after its row was removed.",
    "contract/paging > take a removed row for a cursor",
  ],
  [
    "pages.unknown",
    "An id never seen in the list is 400 with the cursor's name.",
    "contract/paging > answers 400 and names the parameter %s: %j",
    "contract/paging > do not know rows of another account as cursors",
  ],
  [
    "pages.both",
    "Both cursors at once are 400.",
    "contract/paging > answers 400 and names the parameter %s: %j",
  ],
  [
    "pages.has-more",
    "has_more speaks of the direction asked.",
    "contract/paging > gives the page right before a cursor in list order",
    "platform/pagination > has_more is true exactly when rows remain in the direction asked",
  ],
  [
    "pages.before",
    "A before_id page is the rows right before the cursor, in list order.",
    "contract/paging > gives the page right before a cursor in list order",
  ],
  ["pages.empty", "An empty page has null ids.", "contract/paging > gives nulls on an empty page"],
]);
