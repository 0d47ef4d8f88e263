import { describe, expect, it } from "vitest";
import { readCredential } from "../../src/platform/credentials.ts";

describe("readCredential()", () => {
  it.each([
    [{}, undefined],
    [{ authorization: "Bearer a" }, { source: "bearer", token: "a" }],
    [{ authorization: "bearer  a " }, { source: "bearer", token: "a" }],
    [{ "x-api-key": " a " }, { source: "x-api-key", token: "a" }],
    [
      { authorization: "Bearer a", "x-api-key": "a" },
      { source: "bearer", token: "a" },
    ],
    [{ cookie: "x=1; causeway_session=cws_1" }, { source: "cookie", token: "cws_1" }],
    [
      { cookie: "causeway_session=cws_1", authorization: "Bearer a" },
      { source: "bearer", token: "a" },
    ],
    [{ cookie: "not_causeway_session=cws_1" }, undefined],
  ])("reads the credential in the headers %j", (headers, expected) => {
    expect(readCredential(headers)).toEqual(expected);
  });

  it.each([
    { authorization: "Bearer a", "x-api-key": "b" },
    { authorization: "Basic abc" },
    { authorization: "Bearer" },
    { authorization: "Bearer a b" },
    { authorization: "" },
  ])("refuses the headers %j with 401", (headers) => {
    expect(() => readCredential(headers)).toThrow(
      expect.objectContaining({ code: "unauthorized" }),
    );
  });
});
