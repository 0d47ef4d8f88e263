/** A turn of phrase that the writing guide rejects (docs/engineering/writing.md). */
export interface WordingPattern {
  readonly name: string;
  readonly expression: RegExp;
  /** A text that it finds. */
  readonly example: string;
}

/** Everyday verbs and pronouns that stand where a term of the field belongs. */
const phrases: readonly WordingPattern[] = [
  {
    name: "told",
    expression:
      /\b(?:is|are|was|were|be|been|gets?|not|has|had|have) told\b|\btold (?:of|once|again|apart|as)\b/gi,
    example: "the caller is told",
  },
  {
    name: "tells",
    expression: /\btells (?:of|what|why|who|where|when|whose|nothing|no|it)\b/gi,
    example: "an event tells what happened",
  },
  {
    name: "said",
    expression: /\b(?:is|are|was|were|been|what|nothing|unless) said\b|\bsays? (?:nothing|so)\b/gi,
    example: "the log says so",
  },
  {
    name: "heard",
    expression:
      /\bhears?\b|\b(?:is|was|are|were|be|has|have|nothing) heard\b|\bheard (?:of|nothing|so)\b/gi,
    example: "nobody heard of it",
  },
  {
    name: "nobody",
    expression: /\b(?:nobody|somebody|whoever|whomever)\b/gi,
    example: "whoever asks",
  },
  {
    name: "no more",
    expression:
      /\b(?:is|are|has|have|does|can|works?|counts?|serves?|needs?)\b(?: \w+){0,2} no more\b(?! than)/gi,
    example: "the key is no more",
  },
  {
    name: "is no",
    expression:
      /\b(?:it|that|which|what|who|this|value|body|text|name|id|answer|address|file|one) (?:is|are|was) no (?!longer|more|such|way|need|different)\w+/gi,
    example: "a body that is no object",
  },
  { name: "none", expression: /\b(?:is|are|was|were) none\b/gi, example: "there is none" },
  {
    name: "is there",
    expression: /\b(?:is|are|was|were|be) (?:not )?there\b/gi,
    example: "while the file is there",
  },
  {
    name: "away",
    expression: /\b(?:is|are|was|were|be) away\b/gi,
    example: "the database is away",
  },
  { name: "of ours", expression: /\bof ours\b|\bwhose they are\b/gi, example: "a fault of ours" },
  {
    name: "anew",
    expression: /\b(?:anew|unasked|as a rule|in passing|now and then|heeds?)\b/gi,
    example: "it starts anew",
  },
  { name: "for ever", expression: /\bfor ever\b/gi, example: "it waits for ever" },
  { name: "beside", expression: /\bbeside\b/gi, example: "a process beside it" },
  {
    name: "stands",
    expression:
      /\bstands? (?:in|on|at|before|behind|between|below|above|there|among|after|first|beside|under|still)\b/gi,
    example: "the key stands in the file",
  },
  {
    name: "what becomes",
    expression: /\bwhat (?:becomes|became|came|comes)\b/gi,
    example: "what became of the call",
  },
  {
    name: "goes on",
    expression:
      /\b(?:goes|went|go) on (?:with|from|as|to|until|without|where|when|after|at)\b|\bgoes on\b/gi,
    example: "the turn goes on",
  },
  {
    name: "Undefined:",
    expression: /(?:^|[.;] )(?:Undefined|Null|Absent|Omitted): /g,
    example: "The name. Undefined: there is no name.",
  },
  {
    name: "that of",
    expression: /\b(?:that|those) of (?:the|a|an|its|one|another|whoever)\b/gi,
    example: "the port and that of the tools",
  },
  {
    name: "one that",
    expression: /\bones? that (?:is|are|has|have|was|were|had|cannot|does|do)\b/gi,
    example: "a key, or one that has expired",
  },
  {
    name: "a word for",
    expression: /\b(?:no|has a|have a) word for\b|\bwords? of (?:a|the|its)\b|\bin words\b/gi,
    example: "the dialect has no word for it",
  },
  {
    name: "lets in",
    expression: /\blet in\b|\blets? (?:in|go|through)\b/gi,
    example: "the gate lets through",
  },
  {
    name: "whom",
    expression: /\bwhom\b|\bof which (?:nothing|no|none|only)\b/gi,
    example: "to whom it belongs",
  },
  {
    name: "unless said",
    expression: /\bunless (?:said|told|sent)\b|\bfaults? of ours\b|\bmend(?:s|ed)?\b/gi,
    example: "the fault was mended",
  },
  {
    name: "thought",
    expression: /\bthoughts\b|\bwhat (?:it|a model|the model|was) thought\b/gi,
    example: "sealed thoughts",
  },
  {
    name: "sold",
    expression: /\b(?:un)?sold\b|\bdiall(?:ed|ing)\b/gi,
    example: "a model that is sold",
  },
  {
    name: "kept",
    expression:
      /\bkept (?:answer|response|turn|call|use|item)s?\b|\bis kept (?:of|here|by|with)\b/gi,
    example: "a kept response",
  },
];

/** A doc comment begins with a verb or a noun. */
const commentStart: WordingPattern = {
  name: "start of a doc comment",
  expression: /^(?:What|Who|Where|Why|That|Those|Of|The same)\b/g,
  example: "What a call costs.",
};

/** A title names its subject and what that does. */
const titleStart: WordingPattern = {
  name: "start of a test title",
  expression: /^(?:that|what|who|no|none|one|of|with)\b/gi,
  example: "no file is none",
};

/** Where a text comes from; it decides which patterns hold for it. */
export type TextKind = "comment" | "doc comment" | "string" | "title" | "page";

const ofKind: Readonly<Record<TextKind, readonly WordingPattern[]>> = {
  comment: phrases,
  "doc comment": [...phrases, commentStart],
  string: phrases,
  title: [...phrases, titleStart],
  page: phrases,
};

/** All patterns. */
export const wordingPatterns: readonly WordingPattern[] = [...phrases, commentStart, titleStart];

/** A place where a text uses a rejected turn of phrase. */
export interface WordingHit {
  readonly pattern: string;
  /** What was found. */
  readonly text: string;
}

/** Finds the rejected turns of phrase in a text without its code spans. */
export function findHits(kind: TextKind, text: string): WordingHit[] {
  return ofKind[kind].flatMap(({ name, expression }) =>
    [...text.matchAll(expression)].map(([found]) => ({ pattern: name, text: found.trim() })),
  );
}
