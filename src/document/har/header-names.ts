import { isLearnableHeaderName } from "../name/field-name.ts";
import { createObjectShape, createScalarShape, type InferredShape } from "../shape/shape.ts";
import { asJsonObjectElements, type JsonObject } from "../../platform/json-value.ts";
import { readHarStringOrEmpty } from "./text-member.ts";

const text = createScalarShape("string");

/** Headers that every client makes itself, and fields that proxies add. */
const clientHeaders = new Set(
  (
    "accept-charset accept-encoding accept-language access-control-request-headers " +
    "access-control-request-method alt-used cache-control connection content-length dnt expect " +
    "forwarded host http2-settings if-modified-since if-none-match keep-alive origin pragma priority " +
    "proxy-connection referer save-data te trailer transfer-encoding upgrade " +
    "upgrade-insecure-requests user-agent via x-forwarded-for x-forwarded-host x-forwarded-proto x-real-ip"
  ).split(" "),
);

/** The request's header names, in lower case, without those that say nothing of the service. */
export function inferHeadersShape(request: JsonObject): InferredShape {
  const names = asJsonObjectElements(request["headers"]).map((header) =>
    readHarStringOrEmpty(header, "name").toLowerCase(),
  );
  const cookie = asJsonObjectElements(request["cookies"]).length > 0 ? ["cookie"] : [];
  const kept = [...new Set([...names, ...cookie])].filter((name) => !isClientHeader(name));
  return createObjectShape(kept.filter(isLearnableHeaderName).map((name) => [name, text]));
}

function isClientHeader(name: string): boolean {
  return clientHeaders.has(name) || name.startsWith("sec-");
}
