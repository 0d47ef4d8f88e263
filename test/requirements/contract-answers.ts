import { tested, type Requirement } from "./requirement.ts";

/** Contract section 11: what clients read in the answers that are written for them. */
export const contractAnswers: readonly Requirement[] = [
  ...tested("contract 11, answers", [
    [
      "answer.open-responses",
      "Responses that we write have every field that the Open Responses schema requires.",
      "gateway/transcode/answer-fields > is in a whole answer with %s",
      "gateway/transcode/answer-fields > is in a stream with %s",
      "gateway/response/kept-responses > are kept as they were given, with every field that strict clients demand",
      "dialect/responses/encode-answer > repeats tools and schemas with every member, also those that were not sent",
    ],
    [
      "answer.usage-estimated",
      "Usage that no upstream told is estimated in all three dialects.",
      "gateway/transcode/usage-estimates > is estimated, %s",
    ],
    [
      "answer.messages-caches",
      "Both counts of caches are always in the usage of a message.",
      "gateway/transcode/usage-estimates > always counts caches, %s",
    ],
    [
      "answer.absent-not-null",
      "Citations and usage fields that there are none of are absent, not null.",
      "gateway/transcode/answer-fields > is in a stream that was one at the upstream, too",
      "gateway/transcode/service-tier > %s caller, %s upstream, %s: %s",
    ],
    [
      "answer.lost-citations",
      "Citations of kinds that no other dialect has are warned of in plain answers.",
      "gateway/transcode/answer-warnings > are told to be left out of a whole answer",
    ],
    [
      "answer.error-types",
      "Error types of chat and responses callers follow the status on transcoded calls.",
      "gateway/transcode/error-types > follows the status: %i, whose upstream says %s, is %s",
      "gateway/transcode/error-types > follows what the status would have been: %s in a stream is %s",
      "gateway/transcode/error-types > an error's type is the upstream's own where both speak one dialect",
    ],
    [
      "answer.lessons-end",
      "What a 400 taught of an endpoint ends after an hour, with its next probe, with a change of it.",
      "gateway/transcode/requests > is held for an hour, also where more is learned in it",
      "gateway/transcode/learned-options > after %s",
    ],
  ]),
];
