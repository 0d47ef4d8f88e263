import { tested, type Requirement } from "./requirement.ts";

/** Answers in the background. */
export const background: readonly Requirement[] = tested([
  [
    "background.queued",
    "background: true is answered at once with status queued and an id; GET polls it.",
    "gateway/turn/background > comes at once as queued, and is polled until it is there",
    "gateway/turn/background-lanes > the client's example polls until the answer is there",
  ],
  [
    "background.streamed",
    "With stream: true the events come as always, and the call goes on when the caller leaves.",
    "gateway/turn/background-lanes > the client's example streams, loses the stream, and resumes behind its cursor",
    "gateway/turn/background-replay > goes on when its caller leaves the stream, and lists its input before and after its end",
    "gateway/turn/background-replay > is told whole to a caller who reads slowly",
  ],
  [
    "background.unstored",
    "store: false with background: true is 400 param store.",
    "gateway/turn/background-refusals > with %s is refused before anything is stored",
  ],
  [
    "background.kept",
    "They live retention.responses_days; with 0, background is 400 param background.",
    "gateway/turn/background-refusals > none is made in the background",
    "gateway/turn/background-replay > is gone when its time has passed",
    "gateway/turn/background-replay > is gone with its account, and what runs then ends",
  ],
  [
    "background.deleted",
    "DELETE of a running one cancels it.",
    "gateway/turn/background-processes > is deleted while it runs, which ends it, and is known nowhere any more",
  ],
  [
    "background.own-vendor",
    "On own credentials a vendor that speaks responses gets the call unchanged, and keeps it itself.",
    "gateway/turn/background-lanes > is asked for unchanged, and kept there",
  ],
  [
    "background.credits",
    "On the credits route background runs as our turn; nothing is left with the vendor.",
    "gateway/turn/background-lanes > the client's example polls until the answer is there",
    "gateway/turn/background-lanes > is charged once, and its call kept once, with its turn and its tags",
    "gateway/turn/background-lanes > refuses a %s of the vendor before anything is stored",
  ],
  [
    "background.replay",
    "?stream=true&starting_after=n replays the events behind n of a kept response or a turn.",
    "gateway/turn/background-replay > begins behind its cursor, has nothing behind the last event, and refuses what is no number",
    "gateway/turn/background-replay > is the same at each time, a right stream, and tells the official client the response",
    "dialect/responses/replay-response > tells by the grammar, to the official client, what was kept, the same at every call",
  ],
  [
    "background.followed",
    "A turn that runs is followed, at any process.",
    "gateway/turn/background-processes > is polled, followed to its end, and replayed with the same bytes",
  ],
  [
    "background.input-items",
    "input_items lists what a turn was asked with, while it runs and after.",
    "gateway/turn/background-replay > lists the items that its input refers to, as a finished one does",
  ],
  [
    "turns.refusals",
    "Refusals (400 to 429) come before a turn is stored.",
    "gateway/turn/background-refusals > with %s is refused before anything is stored",
    "gateway/turn/background-refusals > with a model that the key may not use is refused before anything is stored",
    "gateway/turn/background-refusals > is refused, holds nothing, and holds nothing while it waits where it can be paid",
  ],
  [
    "turns.a-hundred",
    "A key has at most 100 queued or running turns, then 429.",
    "gateway/turn/background-refusals > is refused where a key has a hundred that wait or run, until one has ended",
  ],
  [
    "turns.authority",
    "A lost key, user, membership or credential cancels its turns within a second.",
    "gateway/turn/background-authority > is cancelled within a second when",
    "gateway/turn/background-authority > its vendor is unlinked",
    "gateway/turn/background-authority > the maker of its team's key leaves",
  ],
  [
    "turns.batches",
    "Events are committed in batches before they are sent, the first at once, later ones in 250 ms.",
    "turn/turn-writer > keeps every frame once, in order, a quarter of a second after it came at the latest",
    "turn/turn-writer > keeps at once what comes before and with the first word, and gathers what follows",
  ],
  [
    "turns.database-away",
    "While PostgreSQL is away the stream pauses with keep-alives.",
    "gateway/turn/background-away > pauses with keep-alives, and goes on when it is back, with nothing lost and nothing asked twice",
  ],
  [
    "turns.half-streamed",
    "An item that was half streamed is closed as incomplete; the new answer takes the next place.",
    "turn/journal/response-journal > tells one stream by the grammar, wherever the calls before the last broke off",
    "turn/journal/response-journal > goes on from its events alone as it would have gone on",
    "gateway/turn/background-failures > in the middle of its words is called again: they are closed, and what comes stands behind them",
  ],
  [
    "turns.prefix",
    "What callers received is a prefix of the replay, at any process.",
    "gateway/turn/background-processes > is polled, followed to its end, and replayed with the same bytes",
    "process/turn-kills > answers in the background outlive processes that are killed and stay dead",
  ],
  [
    "turns.cancel",
    "Cancel at any process closes upstreams within 1 s; the stream ends as cancelled; finished: 200.",
    "gateway/turn/background-processes > is cancelled within a second, wherever it runs",
    "gateway/turn/background-replay > is answered as it is (background: %s)",
  ],
  [
    "turns.upstream-fails",
    "A step whose upstream fails is made again twice at most, then the turn fails with its error.",
    "gateway/turn/background-failures > is called three times at most, and then the answer fails with its error",
    "gateway/turn/background-failures > with its own error tells it to the caller",
    "gateway/turn/background-failures > with %d is not called again",
  ],
  [
    "turns.at-rest",
    "What steps hold of conversations and results is sealed like kept responses.",
    "gateway/turn/background-replay > is sealed in the database",
    "process/command-line > moves what is sealed to a new key, which then serves alone",
  ],
]);
