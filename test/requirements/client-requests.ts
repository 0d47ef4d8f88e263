import { tested, type Requirement } from "./requirement.ts";

/** What clients send that not every upstream knows. */
export const clientRequests: readonly Requirement[] = tested([
  [
    "client-fields.thread",
    "A thread is 400 with param thread and thread_unsupported_request, so that official runners go on.",
    "gateway/transcode/history-fields > are refused in the vendor's words",
    "gateway/transcode/history-fields > go on with whole histories",
    "gateway/credits/vendor-state > is not threaded, in the words by which the vendor's client goes on without",
  ],
  [
    "client-fields.history",
    "Fields that continue, replace or delete history stand on a fixed list and are refused, compaction among them.",
    "gateway/transcode/history-fields > %s is refused, for it is about the history",
  ],
  [
    "client-fields.unknown",
    "Other unknown fields are dropped with the reason unknown.",
    "gateway/transcode/requests > a field that nobody knows is left out and told",
  ],
  [
    "client-fields.context-management",
    "Edits of context_management that keep everything are ignored, others dropped with a warning.",
    "gateway/transcode/history-fields > that keeps everything asks for nothing: keep %j",
    "gateway/transcode/history-fields > that clears something is left out, edit by edit, and told",
  ],
  [
    "client-fields.offered-tools",
    "A hosted tool that is only offered is dropped with a warning, refused when forced or the only one.",
    "gateway/transcode/offered-tools > that is only offered is left out with the tool_choice %j",
    "gateway/transcode/offered-tools > that stands alone is refused",
    "gateway/transcode/offered-tools > is refused where a tool must be called",
  ],
  [
    "client-fields.tool-search",
    "tool_search with execution client is carried as a function.",
    "gateway/transcode/client-items > is a function there, and its call a search again",
    "gateway/transcode/client-items > goes on with the tools that were found, which keep their namespace",
  ],
  [
    "client-fields.tool-reference",
    "tool_reference blocks are carried as text.",
    "gateway/transcode/client-histories > is named in words (%s upstream)",
  ],
  [
    "client-fields.stop",
    "Stop sequences that an upstream does not have are kept by the gateway, which ends the text and the call.",
    "gateway/transcode/stop-sequences > ends a stream before it, and the upstream's call",
    "gateway/transcode/stop-sequences > ends a stream at the same place, wherever it is split",
    "gateway/transcode/stop-sequences > ends a whole answer before it, with the usage that was told",
    "dialect/stop-text > ends it at the same place, however the text is split",
  ],
  [
    "client-fields.numbers",
    "Numbers in tool arguments keep their digits.",
    "gateway/transcode/exact-numbers > keep their digits in the arguments of a history",
    "gateway/transcode/exact-numbers > keep their digits in the arguments of a plain answer",
  ],
  [
    "client-fields.system-middle",
    "System messages in the middle reach chat endpoints that are no vendor's own as reminders, with a warning.",
    "gateway/transcode/client-histories > are a reminder in the next user turn, with a warning",
  ],
  [
    "client-fields.sessions",
    "Sessions of clients with all their features are taken by a strict upstream, in every direction.",
    "gateway/transcode/client-sessions > are taken by a strict upstream and say what they should",
  ],
]);
