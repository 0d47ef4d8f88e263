import { describe, expect, it } from "vitest";
import { chatDialectOperation } from "../../src/dialect/chat/index.ts";
import type { CallerFacingError } from "../../src/dialect/dialect-error.ts";
import { messagesDialectOperation } from "../../src/dialect/messages/index.ts";
import { responsesDialectOperation } from "../../src/dialect/responses/index.ts";
import { parseEventStreamText } from "../../src/platform/sse/read-events.ts";

const refusal: CallerFacingError = {
  status: 402,
  code: "byo_url",
  message: "The wallet is spent.",
  type: undefined,
  param: null,
  byoUrl: "http://x.test/wallet",
  docUrl: "http://x.test/docs/errors#byo_url",
  requestId: "req_1",
};

const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 502, 503, 504, 529];

function typesOf(
  read: (body: { error: { type: string } }) => string,
  print: typeof chatDialectOperation,
) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      read(JSON.parse(print.serializeError({ ...refusal, status })) as { error: { type: string } }),
    ]),
  );
}

describe("error bodies", () => {
  it.each([chatDialectOperation, responsesDialectOperation])(
    "[error-body.nested] [error.dialect] nests everything in error: $dialect",
    (surface) => {
      expect(JSON.parse(surface.serializeError(refusal))).toEqual({
        error: {
          message: "The wallet is spent.",
          type: "insufficient_quota",
          param: null,
          code: "byo_url",
          byo_url: "http://x.test/wallet",
          doc_url: "http://x.test/docs/errors#byo_url",
          request_id: "req_1",
        },
      });
    },
  );

  it("[error-body.messages] puts the code into details for messages", () => {
    expect(JSON.parse(messagesDialectOperation.serializeError(refusal))).toEqual({
      type: "error",
      error: {
        type: "billing_error",
        message: "The wallet is spent.",
        details: {
          error_code: "byo_url",
          param: null,
          byo_url: "http://x.test/wallet",
          doc_url: "http://x.test/docs/errors#byo_url",
        },
      },
      request_id: "req_1",
    });
  });

  it("leaves byo_url out where there is none", () => {
    for (const surface of [chatDialectOperation, messagesDialectOperation]) {
      expect(surface.serializeError({ ...refusal, byoUrl: undefined })).not.toContain(
        'byo_url":"http://x.test/wallet',
      );
    }
  });

  it("names the type by the status", () => {
    expect(typesOf(({ error }) => error.type, chatDialectOperation)).toEqual({
      400: "invalid_request_error",
      401: "authentication_error",
      402: "insufficient_quota",
      403: "permission_error",
      404: "invalid_request_error",
      408: "invalid_request_error",
      409: "invalid_request_error",
      413: "invalid_request_error",
      422: "invalid_request_error",
      429: "rate_limit_error",
      499: "invalid_request_error",
      500: "server_error",
      502: "server_error",
      503: "server_error",
      504: "server_error",
      529: "server_error",
    });
    expect(typesOf(({ error }) => error.type, messagesDialectOperation)).toEqual({
      400: "invalid_request_error",
      401: "authentication_error",
      402: "billing_error",
      403: "permission_error",
      404: "not_found_error",
      408: "timeout_error",
      409: "conflict_error",
      413: "request_too_large",
      422: "invalid_request_error",
      429: "rate_limit_error",
      499: "invalid_request_error",
      500: "api_error",
      502: "api_error",
      503: "api_error",
      504: "timeout_error",
      529: "overloaded_error",
    });
  });

  it("keeps an upstream's own type in chat, where the list is open, and not in messages", () => {
    const error = { ...refusal, type: "tokens" };
    expect(chatDialectOperation.serializeError(error)).toContain('"type":"tokens"');
    expect(messagesDialectOperation.serializeError(error)).toContain('"type":"billing_error"');
  });
});

describe("stream errors", () => {
  const cut = { ...refusal, status: 502, code: "upstream_incomplete", byoUrl: undefined };

  it("is a data-only frame in chat", () => {
    const [event, ...rest] = parseEventStreamText(
      chatDialectOperation.serializeStreamError(cut, ""),
    );
    expect(rest).toEqual([]);
    expect(event?.name).toBeUndefined();
    expect(JSON.parse(event?.data ?? "")).toEqual({
      error: {
        message: cut.message,
        type: "server_error",
        param: null,
        code: "upstream_incomplete",
        request_id: "req_1",
      },
    });
  });

  it("is a named event in messages", () => {
    const [event] = parseEventStreamText(messagesDialectOperation.serializeStreamError(cut, ""));
    expect(event?.name).toBe("error");
    expect(JSON.parse(event?.data ?? "")).toMatchObject({
      type: "error",
      error: { type: "api_error", details: { error_code: "upstream_incomplete" } },
      request_id: "req_1",
    });
  });

  it.each([
    ["", 0],
    ['data: {"type":"x","sequence_number":4}\n\n', 5],
    [
      'data: {"sequence_number": 9}\n\ndata: {"delta":"\\"sequence_number\\":77","sequence_number":10}',
      11,
    ],
  ])("continues the sequence numbers of a responses stream that sent %j", (sent, next) => {
    const [event] = parseEventStreamText(responsesDialectOperation.serializeStreamError(cut, sent));
    expect(event?.name).toBe("error");
    expect(JSON.parse(event?.data ?? "")).toEqual({
      type: "error",
      code: "upstream_incomplete",
      message: cut.message,
      param: null,
      sequence_number: next,
      request_id: "req_1",
      error: {
        message: cut.message,
        type: "server_error",
        param: null,
        code: "upstream_incomplete",
        request_id: "req_1",
      },
    });
  });
});

describe("request-limit headers", () => {
  const reading = {
    allowed: true,
    limit: { requestsPerMinute: 600, burst: 60 },
    remaining: 59,
    retryInMs: 0,
  };

  it("gives the reset as a duration in chat and responses", () => {
    expect(chatDialectOperation.rateLimitHeaders({ ...reading, fullInMs: 100 }, 0)).toEqual([
      "x-ratelimit-limit-requests",
      "60",
      "x-ratelimit-remaining-requests",
      "59",
      "x-ratelimit-reset-requests",
      "100ms",
    ]);
    expect(
      responsesDialectOperation.rateLimitHeaders({ ...reading, fullInMs: 5400 }, 0).at(-1),
    ).toBe("6s");
  });

  it("gives the reset as a time in messages", () => {
    const now = Date.UTC(2026, 10, 20, 23, 0, 0);
    expect(messagesDialectOperation.rateLimitHeaders({ ...reading, fullInMs: 1500 }, now)).toEqual([
      "anthropic-ratelimit-requests-limit",
      "60",
      "anthropic-ratelimit-requests-remaining",
      "59",
      "anthropic-ratelimit-requests-reset",
      "2026-11-20T23:00:02Z",
    ]);
  });
});
