import type { ErrorCode } from "../../platform/errors.ts";
import type { OpenApiOperationDescription, OpenApiOperationGroup } from "./described-operation.ts";
import type { OpenApiParameter, OpenApiResponse, OpenApiSchema } from "./document-types.ts";

/**
 * The model calls. Their bodies belong to the dialects, so they are not in the contract
 * and are described here.
 */
export function describeModelCallOperations(maxBodyBytes: number): OpenApiOperationGroup {
  return {
    tag: { name: "Model calls", description: "Calls in the dialect of the caller's client." },
    operations: [
      modelCall({
        operationId: "createChatCompletion",
        path: "/v1/chat/completions",
        summary: "Answers a call in the chat-completions dialect",
        description: routed,
        errorFormat: "chat",
        maxBodyBytes,
      }),
      modelCall({
        operationId: "createResponse",
        path: "/v1/responses",
        summary: "Answers a call in the responses dialect",
        description:
          `${routed} A linked code-assistant login passes through. A GET of this path with an upgrade ` +
          "to WebSocket opens the dialect's WebSocket mode, in which each message is such a call.",
        errorFormat: "chat",
        maxBodyBytes,
        body: responsesBody,
      }),
      modelCall({
        operationId: "compactResponse",
        path: "/v1/responses/compact",
        summary: "Gives a conversation of the responses dialect in compact form",
        description:
          "Passed through to a vendor that compacts; else the named model is asked for a summary, which the `compaction` item of the answer holds, sealed to the account.",
        errorFormat: "chat",
        maxBodyBytes,
        answer: compactedResponse,
        headers: modelHeaders,
      }),
      modelCall({
        operationId: "createMessage",
        path: "/v1/messages",
        summary: "Answers a call in the messages dialect",
        description: routed,
        errorFormat: "messages",
        maxBodyBytes,
      }),
      modelCall({
        operationId: "createEmbedding",
        path: "/v1/embeddings",
        summary: "Embeds texts with a model of an upstream that speaks chat completions",
        description: "Passed through to the upstream that the key routes to.",
        errorFormat: "chat",
        maxBodyBytes,
        answer: embeddings,
        headers: modelHeaders,
      }),
    ],
  };
}

const routed =
  "Passed through or transcoded to the upstream that the key routes to, or answered by the caller's agent " +
  "when `model` is `agent`, `agent-omni` or `agent-fast`, or the mode is `agent`: the answer is a turn of a " +
  "thread then, which goes on when the caller hangs up.";

type ModelCall = Pick<
  OpenApiOperationDescription,
  "operationId" | "path" | "summary" | "description" | "errorFormat"
> & {
  readonly maxBodyBytes: number;
  /** What every dialect has, by default. */
  readonly body?: OpenApiSchema;
  /** That of a conversation by default. */
  readonly answer?: OpenApiResponse;
  /** Those of a conversation by default. */
  readonly headers?: readonly OpenApiParameter[];
};

function modelCall({
  maxBodyBytes,
  body = dialectBody,
  answer = answered,
  headers = [...conversationHeaders, engineHeader],
  ...call
}: ModelCall): OpenApiOperationDescription {
  return {
    ...call,
    httpMethod: "post",
    credentials: ["key"],
    scope: "gateway:invoke",
    parameters: headers,
    requestBody: {
      required: true,
      content: { "application/json": { schema: body } },
      "x-max-body-bytes": maxBodyBytes,
    },
    responses: { "200": answer, "499": hungUp },
    errorCodes,
    relaysErrors: true,
  };
}

const routeHeader = controlHeader("x-svc-route", "Overrides the key's route for this request.", {
  type: "string",
  enum: ["byo", "credits", "auto"],
});

const sessionForm: OpenApiSchema = { type: "string", pattern: String.raw`^\w{1,59}$` };

const commonHeaders: readonly OpenApiParameter[] = [
  controlHeader(
    "x-svc-tags",
    "Tags of the call, `project=alpha, env=prod`: at most ten, names of `[a-z0-9_.-]{1,40}`, values of 1 to 100 " +
      "printable ASCII characters without comma. They are kept with the call and its usage.",
    { type: "string" },
  ),
  controlHeader("x-svc-strict", "Turns every warning of `x-svc-warnings` into a 400.", {
    type: "string",
    enum: ["true", "false"],
  }),
];

/** Of calls that an agent may answer. */
const conversationHeaders: readonly OpenApiParameter[] = [
  routeHeader,
  controlHeader(
    "x-svc-mode",
    "Overrides the key's mode for this request. `agent`: the agent answers, with the model that is named as its engine.",
    { type: "string", enum: ["model", "agent"] },
  ),
  controlHeader(
    "x-svc-session",
    "Thread of the agent that the call goes on with, or begins. Changes nothing of a model call.",
    sessionForm,
  ),
  ...commonHeaders,
];

/** Refused with a value on calls that do not reach the agent. */
const engineHeader = controlHeader(
  "x-svc-engine",
  "Pins the agent to its omni engine; on calls that do not reach the agent it is refused.",
  { type: "string", enum: ["omni"] },
);

const modelHeaders: readonly OpenApiParameter[] = [
  routeHeader,
  controlHeader("x-svc-mode", "Overrides the key's mode for this request.", {
    type: "string",
    enum: ["model"],
  }),
  controlHeader(
    "x-svc-session",
    "Is held to its form, and changes nothing of the call.",
    sessionForm,
  ),
  ...commonHeaders,
];

function controlHeader(name: string, description: string, schema: OpenApiSchema): OpenApiParameter {
  return { name, in: "header", description, schema };
}

const dialectBody: OpenApiSchema = {
  type: "object",
  description: "A body in the dialect of the operation; unknown fields are never refused.",
  properties: {
    model: {
      type: "string",
      description: "A model that `GET /v1/models` calls available, or an `@alias`.",
    },
  },
  required: ["model"],
  additionalProperties: true,
};

const responsesBody: OpenApiSchema = {
  ...dialectBody,
  properties: {
    ...dialectBody.properties,
    background: {
      type: "boolean",
      description:
        "`true`: the answer comes at once as `queued`, and is made independently of the connection; " +
        "`GET /v1/responses/{id}` shows it. With `stream` its events come as they are made.",
    },
  },
};

const routeUsed = {
  "x-svc-route-used": {
    description: "Who paid: the caller's own credential, or the wallet.",
    schema: { type: "string", enum: ["byo", "credits"] },
  },
} as const;

const warnings = {
  "x-svc-warnings": {
    description:
      "What a transcoded call lost: a structured-field list of body paths, each with `action` and `reason`.",
    schema: { type: "string" },
  },
} as const;

export const queuePositionHeaderObject = {
  "x-svc-queue-position": {
    description:
      "Place of a turn among those that wait, from 1, about. Absent: it runs, has ended, or is no turn.",
    schema: { type: "integer", minimum: 1 },
  },
} as const;

const wholeAnswer = {
  "application/json": { schema: { type: "object", additionalProperties: true } },
} as const;

const answered: OpenApiResponse = {
  description:
    "The answer in the dialect of the operation, as events when the body asks for `stream: true`.",
  headers: {
    ...routeUsed,
    "x-svc-session": {
      description: "Thread of the turn that answers, where the agent does.",
      schema: { type: "string" },
    },
    "x-svc-turn": {
      description: "Id of that turn, by which `/v1/responses/{id}` knows it.",
      schema: { type: "string" },
    },
    ...queuePositionHeaderObject,
    ...warnings,
  },
  content: { ...wholeAnswer, "text/event-stream": { schema: { type: "string" } } },
};

const embeddings: OpenApiResponse = {
  description: "The answer of the upstream, as it is.",
  headers: routeUsed,
  content: wholeAnswer,
};

const compactedResponse: OpenApiResponse = {
  description:
    "The items that stand for the conversation; they go into the `input` of later calls.",
  headers: { ...routeUsed, ...warnings },
  content: wholeAnswer,
};

const hungUp: OpenApiResponse = { description: "The caller hung up. It is seen in logs only." };

const errorCodes: readonly ErrorCode[] = [
  "invalid_request",
  "unauthorized",
  "byo_url",
  "insufficient_scope",
  "model_not_allowed",
  "no_vendor_credential",
  "no_custom_upstream",
  "request_too_large",
  "rate_limited",
  "internal_error",
  "upstream_unreachable",
  "upstream_malformed",
  "upstream_incomplete",
  "unavailable",
  "upstream_timeout",
];
