import { describe, expect, it } from "vitest";
import {
  credentialHeaderNames,
  assertExtraHeaders,
  lowerCaseHeaders,
  restoreRedactedHeaders,
  redactAllHeaderValues,
} from "../../../src/platform/endpoint/header-rules.ts";
import { ApiError } from "../../../src/platform/errors.ts";

describe("checkExtraHeaders()", () => {
  it("leaves names to the caller where the server has no use for them", () => {
    const headers = { Authorization: "Bearer t", "X-API-Key": "k" };
    expect(() => assertExtraHeaders(headers, "headers", credentialHeaderNames)).not.toThrow();
    const others = { ...headers, Host: "h" };
    expect(() => assertExtraHeaders(others, "headers", credentialHeaderNames)).toThrow(ApiError);
  });

  it("takes what an endpoint of one's own may need", () => {
    const headers = {
      "api-key": "k",
      "HTTP-Referer": "https://a.example",
      "x-title": "",
      "OpenAI-Beta": "a=b\tc",
    };
    expect(() => assertExtraHeaders(headers, "headers")).not.toThrow();
  });

  it.each([
    "Host",
    "authorization",
    "X-Api-Key",
    "Cookie",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "TE",
    "Trailer",
    "Upgrade",
    "Expect",
    "Proxy-Authorization",
    "Proxy-Connection",
    "Forwarded",
    "X-Forwarded-For",
    "x-forwarded-host",
    "Via",
    "Metadata",
    "Metadata-Flavor",
    "X-aws-ec2-metadata-token",
    "X-Google-Metadata-Request",
    "Accept-Encoding",
    "bad name",
    "bad:name",
    "naïve",
    "",
  ])("[headers.names] refuses the name %j", (name) => {
    expect(paramOf({ "x-good": "1", [name]: "value" })).toBe(`headers.${name}`);
  });

  it.each([
    ["a line break", "line\nbreak"],
    ["a carriage return", "carriage\rreturn"],
    ["a NUL", "nul\0"],
    ["a letter outside ASCII", "ünicode"],
    ["4097 characters", "x".repeat(4097)],
  ])("refuses a value with %s", (_, value) => {
    expect(paramOf({ "x-bad": value })).toBe("headers.x-bad");
  });

  it("takes twenty headers of four kibibytes and not one more", () => {
    expect(paramOf(many(20))).toBeUndefined();
    expect(paramOf(many(21))).toBe("headers");
  });

  it("refuses one name in two spellings", () => {
    expect(paramOf({ "X-One": "1", "x-one": "2" })).toBe("headers.x-one");
  });
});

describe("preserveRedacted()", () => {
  it("puts the stored value in place of the placeholder, whatever the spelling", () => {
    const stored = { "X-One": "1", "x-two": "2" };
    expect(
      restoreRedactedHeaders({ "x-one": "[redacted]", "x-two": "new" }, stored, "headers"),
    ).toEqual({
      "x-one": "1",
      "x-two": "new",
    });
  });

  it("refuses a placeholder for nothing", () => {
    expect(() => restoreRedactedHeaders({ "x-new": "[redacted]" }, {}, "headers")).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "headers.x-new" }),
    );
  });
});

it("redacts values and keeps names as they were spelled", () => {
  expect(redactAllHeaderValues({ "X-One": "1" })).toEqual({ "X-One": "[redacted]" });
});

it("dials names in lower case", () => {
  expect(lowerCaseHeaders({ "X-One": "1" })).toEqual({ "x-one": "1" });
});

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "v".repeat(4096)]));
}

function paramOf(headers: Record<string, string>): string | undefined {
  try {
    assertExtraHeaders(headers, "headers");
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.param : String(error);
  }
}
