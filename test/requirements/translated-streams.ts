import { tested, type Requirement } from "./requirement.ts";

/** How streams are translated. */
export const translatedStreams: readonly Requirement[] = tested([
  [
    "stream.pass-through",
    "A body reaches its own dialect byte for byte, but for the name of the model.",
    "gateway/route/pass-through > sends the body byte for byte, but for the model's name",
  ],
  [
    "stream.version",
    "Only a missing version of messages is filled in.",
    "gateway/route/pass-through > fills in the version of messages only, and never a user agent",
  ],
  [
    "stream.unasked-usage",
    "A stream without include_usage passes unchanged with the own key, and is counted here.",
    "gateway/route/unasked-usage > passes unchanged both ways, and is counted here",
  ],
  [
    "stream.to-messages",
    "A stream for a caller of messages keeps its grammar and adds up in the official client.",
    "dialect/chat/to-any-caller > hello",
    "dialect/messages/encode-stream > a stream is right by the grammar and adds up in the official client",
  ],
  [
    "stream.to-responses",
    "A stream for a caller of responses has every event, in order and numbered without gaps.",
    "dialect/chat/to-any-caller > hello",
    "dialect/responses/encode-stream > tells a greeting in the order and with the numbers that clients rely on",
    "dialect/responses/responses-caller > gets a stream that its client accepts",
  ],
  [
    "stream.grammar",
    "Every stream that is sent has one start and one end and equals the whole answer.",
    "dialect/every-pair > keeps the grammar and equals the whole answer: %s",
    "dialect/messages/encode-stream > gives one start and one stop",
    "dialect/responses/encode-stream > keeps the grammar and equals the whole answer for the official client, whatever the model said",
    "dialect/responses/stream-endings > keeps the grammar wherever it fails, and the official client throws",
  ],
  [
    "stream.one-id",
    "All chunks of an answer share their id, time and model.",
    "dialect/chat/encode-stream > has one id, time and model on all its chunks",
  ],
  [
    "stream.item-ids",
    "Ids of items are the same in the stream and in its last event.",
    "dialect/responses/encode-stream > gives items the ids that the last event repeats, none of them a call's",
  ],
  [
    "stream.bytes",
    "A stream is read alike wherever its bytes are cut, with LF, CRLF and CR.",
    "dialect/every-pair > cut once, at every offset: %s",
    "dialect/chat/stream-bytes > the bytes of an upstream's stream",
    "dialect/messages/decode-stream > cut at every byte, %s, tells the same",
    "platform/sse/event-reader > reads the same events with %s, cut at every byte",
    "dialect/every-pair > is the same from bytes cut anywhere, LF or CRLF: %s",
    "dialect/responses/decode-stream > gets the same wherever the bytes are cut, with LF, CRLF and CR",
  ],
  [
    "stream.long-line",
    "A line of 2 MB is read, one of 40 MB is too large.",
    "gateway/transcode/streams > a line of 2 MB comes through, one of 40 MB is too large",
  ],
  [
    "stream.unasked",
    "An upstream that streams unasked gives one whole answer.",
    "gateway/transcode/matrix > gets a whole answer from an upstream that streams all the same",
  ],
  [
    "stream.content-type",
    "A stream is known by its bytes, whatever content type is declared.",
    "gateway/transcode/streams > reads a stream whatever the upstream declares with the headers %j",
  ],
  [
    "stream.keep-alive",
    "A silent stream is kept alive in the caller's dialect.",
    "gateway/transcode/streams > a silent stream is kept alive in the caller's dialect",
  ],
  [
    "stream.dead",
    "Keep-alives end when the upstream has been silent for too long.",
    "gateway/transcode/failures > silence",
    "gateway/transcode/streams > keep-alives do not hide an upstream that is dead",
  ],
  [
    "stream.left",
    "A caller that leaves cancels the upstream at once and pays what came.",
    "gateway/transcode/streams > a caller that goes %s cancels the upstream at once",
    "gateway/transcode/single-failures > is charged what came, once, whatever the upstream has told until then",
  ],
  [
    "stream.slow-reader",
    "A slow reader holds the upstream back and loses nothing.",
    "gateway/transcode/streams > a slow reader holds the upstream back, and loses nothing",
  ],
  [
    "stream.changing-ids",
    "Ids that change on the way do not change ours.",
    "dialect/chat/decode-stream > ids that change, foreign events, frames without choices",
    "dialect/responses/decode-stream > goes by the place of an item when its ids change on the way",
  ],
  [
    "stream.apart",
    "Concurrent streams share nothing.",
    "dialect/chat/decode-stream > keeps two streams apart",
    "gateway/transcode/streams > concurrent streams",
  ],
  [
    "stream.unknown-events",
    "Events and deltas that are not known are passed over.",
    "dialect/messages/decode-stream > events and deltas newer than this code tell nothing",
    "dialect/responses/decode-stream > passes by what it does not know",
  ],
  [
    "stream.aborts",
    "A thousand random aborts leave nothing behind.",
    "gateway/transcode/aborts > random aborts",
  ],
  [
    "tokens.local",
    "count_tokens never asks an upstream, and refuses what is no JSON.",
    "gateway/rpc/models > POST /v1/messages/count_tokens",
  ],
]);
