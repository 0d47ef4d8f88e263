import type { JsonObject } from "../../../src/dialect/json.ts";
import { dialectPairs, type DialectName } from "../../support/dialect-growth.ts";
import { chatAnswer, chatAnswers, chatEvents, chatStreams } from "./dimensions/chat-responses.ts";
import { chatBody, chatRequests } from "./dimensions/chat-requests.ts";
import {
  messagesAnswer,
  messagesAnswers,
  messagesEvents,
  messagesStreams,
} from "./dimensions/messages-responses.ts";
import { messagesBody, messagesRequests } from "./dimensions/messages-requests.ts";
import { requestsOfResponses } from "./dimensions/requests-of-responses.ts";
import {
  responsesAnswer,
  responsesAnswers,
  responsesEvents,
  responsesStreams,
} from "./dimensions/responses-responses.ts";
import { responsesBody, responsesRequests } from "./dimensions/responses-requests.ts";
import {
  emptyRequest,
  emptyResponse,
  mergeGroups,
  nextDraft,
  type Dimensions,
  type RequestDraft,
  type ResponseDraft,
} from "./document.ts";
import {
  readStream,
  readWhole,
  transcodeBody,
  type RequestDocument,
  type ResponseDocument,
} from "./transcode-path.ts";

/** Documents that are made of the same dimensions. */
export interface DocumentKind {
  readonly name: string;
  /** Things that a document of the kind can repeat. */
  readonly dimensions: readonly string[];
  /** Names of the ways that a document can go, from dialect to dialect. */
  readonly paths: readonly string[];
  /** Makes a document of the dimensions, each `size` times, and returns the work on it. */
  prepare(dimensions: readonly string[], size: number, path: string): () => void;
}

type Bodies = (draft: RequestDraft, items: readonly JsonObject[]) => JsonObject;
type Responses = (draft: ResponseDraft, groups: readonly JsonObject[]) => Buffer;

const requests: Readonly<Record<DialectName, [Dimensions<RequestDraft>, Bodies]>> = {
  chat: [chatRequests, chatBody],
  messages: [messagesRequests, messagesBody],
  responses: [responsesRequests, responsesBody],
};

const streams: Readonly<Record<DialectName, [Dimensions<ResponseDraft>, Responses]>> = {
  chat: [chatStreams, (_draft, events) => frames(chatEvents(events))],
  messages: [messagesStreams, (_draft, events) => frames(messagesEvents(events))],
  responses: [responsesStreams, (draft, events) => frames(responsesEvents(draft, events))],
};

const answers: Readonly<Record<DialectName, [Dimensions<ResponseDraft>, Responses]>> = {
  chat: [chatAnswers, (draft) => json(chatAnswer(draft))],
  messages: [messagesAnswers, (draft, blocks) => json(messagesAnswer(draft, blocks))],
  responses: [responsesAnswers, (draft, items) => json(responsesAnswer(draft, items))],
};

/** All kinds: requests of callers, streams and whole responses of upstreams. */
export const documentKinds: readonly DocumentKind[] = [
  ...byDialect(requests).map(([from, [dimensions, body]]) =>
    kindOf(`${from}-request`, from, dimensions, (names, size, to) => {
      const document = requestDocument(dimensions, names, size, body);
      return () => transcodeBody(document, from, to);
    }),
  ),
  ...byDialect(streams).map(([from, made]) =>
    responseKind(`${from}-stream`, from, made, readStream),
  ),
  ...byDialect(answers).map(([from, made]) =>
    responseKind(`${from}-answer`, from, made, readWhole),
  ),
];

function byDialect<Value>(values: Readonly<Record<DialectName, Value>>): [DialectName, Value][] {
  return Object.entries(values) as [DialectName, Value][];
}

function responseKind(
  name: string,
  from: DialectName,
  [ofDialect, write]: [Dimensions<ResponseDraft>, Responses],
  read: (document: ResponseDocument, upstream: DialectName, caller: DialectName) => void,
): DocumentKind {
  const dimensions = { ...ofDialect, ...requestsOfResponses };
  return kindOf(name, from, dimensions, (names, size, to) => {
    const document = responseDocument(dimensions, names, size, write);
    return () => read(document, from, to);
  });
}

function kindOf(
  name: string,
  from: DialectName,
  dimensions: Readonly<Record<string, unknown>>,
  prepare: (names: readonly string[], size: number, to: DialectName) => () => void,
): DocumentKind {
  const paths = dialectPairs.filter((pair) => pair[0] === from).map(([, to]) => to);
  return {
    name,
    dimensions: Object.keys(dimensions),
    paths,
    prepare: (names, size, path) => prepare(names, size, path as DialectName),
  };
}

function requestDocument(
  dimensions: Dimensions<RequestDraft>,
  names: readonly string[],
  size: number,
  body: Bodies,
): RequestDocument {
  const draft = emptyRequest();
  const items = addAll(draft, dimensions, names, size);
  return { body: json(body(draft, items)), stored: draft.stored };
}

function responseDocument(
  dimensions: Dimensions<ResponseDraft>,
  names: readonly string[],
  size: number,
  write: Responses,
): ResponseDocument {
  const draft = emptyResponse();
  const groups = addAll(draft, dimensions, names, size);
  const { request } = draft;
  // Tool calls that name it hold its wrapped text.
  request.tools.push({ type: "custom", custom: { name: "custom" } });
  const body = chatBody(request, mergeGroups([request.groups]));
  return { request: json(body), response: write(draft, groups) };
}

function addAll<Draft extends { readonly groups: JsonObject[][] }>(
  draft: Draft,
  dimensions: Dimensions<Draft>,
  names: readonly string[],
  size: number,
): JsonObject[] {
  const lists = names.map((name) => {
    const own = nextDraft(draft);
    dimensions[name]?.(own, size);
    return own.groups;
  });
  return mergeGroups(lists);
}

function json(value: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function frames(events: readonly JsonObject[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
}
