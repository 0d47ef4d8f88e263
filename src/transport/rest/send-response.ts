import type { Message } from "@bufbuild/protobuf";
import type { FastifyReply } from "fastify";
import { HttpBodySchema, type HttpBody } from "../../../gen/ts/google/api/httpbody_pb.ts";
import {
  compileFieldEncoder,
  compileProtoJsonEncoder,
} from "../../contract/json/encode-message.ts";
import { asProtoMessage, asProtoMessageRecord } from "../../contract/message-record.ts";
import { matchesEntityTag } from "../entity-tag.ts";
import type { RestRule } from "../../contract/rest-rule.ts";

/** Writes a method's answer as its rule says: status, headers of the handler, body. */
export type ResponseSender = (
  reply: FastifyReply,
  message: Message,
  headers: Headers,
) => FastifyReply;

type SendBody = (reply: FastifyReply, message: Message) => FastifyReply;

/** Compiles what turns an answer message into an HTTP response. */
export function compileResponseSender(rule: RestRule): ResponseSender {
  const sendBody = bodySender(rule);
  return (reply, message, headers) => {
    void reply.code(rule.successStatus);
    copyHeaders(headers, reply);
    if (isHeldBy(reply, headers.get("etag"))) return reply.code(304).send();
    return sendBody(reply, message);
  };
}

/** Whether the caller has the answer already, where a handler gave it an entity tag. */
function isHeldBy({ request }: FastifyReply, tag: string | null): boolean {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead && tag !== null && matchesEntityTag(request.headers["if-none-match"], tag);
}

function bodySender(rule: RestRule): SendBody {
  if (rule.successStatus === 204) return (reply) => reply.send();
  const { output } = rule.method;
  const field = output.fields.find(({ name }) => name === rule.responseBody);
  const read =
    field === undefined
      ? identity
      : (message: Message) => asProtoMessageRecord(message)[field.localName];
  if ((field?.message ?? output).typeName === HttpBodySchema.typeName) return rawSender(read);
  const encode = field === undefined ? compileProtoJsonEncoder(output) : compileFieldEncoder(field);
  return (reply, message) => {
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(encode(read(message))));
  };
}

function identity(message: Message): unknown {
  return message;
}

/** `google.api.HttpBody` is the answer itself, in its own content type. */
function rawSender(read: (message: Message) => unknown): SendBody {
  return (reply, message) => {
    const { contentType, data } = asProtoMessage(read(message)) as HttpBody;
    return reply.type(contentType).send(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  };
}

/** Cookies are the one header that may come several times. */
function copyHeaders(headers: Headers, reply: FastifyReply): void {
  headers.forEach((value, name) => {
    if (name !== "set-cookie") void reply.header(name, value);
  });
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) void reply.header("set-cookie", cookies);
}
