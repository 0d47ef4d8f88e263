import { describe, expect, it } from "vitest";
import { normalizeEndpointBaseUrl } from "../../src/platform/endpoint/base-address.ts";
import { isoDateToEpochMilliseconds } from "../../src/platform/json-value.ts";
import { trimCharacter, trimTrailingCharacter } from "../../src/platform/trim-character.ts";
import { expectLinear } from "../support/growth.ts";

describe("asTime", () => {
  it("reads the date of a registry in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const date = `${"T0".repeat(size / 2)}\nT0Z`;
      return () => isoDateToEpochMilliseconds(date);
    });
  });

  it("returns undefined for a text longer than any date", () => {
    expect(isoDateToEpochMilliseconds(`2024-05-06T07:08:09Z${" ".repeat(100)}`)).toBeUndefined();
    expect(isoDateToEpochMilliseconds("2024-05-06T07:08:09.123456789+00:00")).toBe(
      Date.UTC(2024, 4, 6, 7, 8, 9, 123),
    );
  });
});

describe("toCallableAddress", () => {
  it("reads an address of many slashes in time that grows with its length", () => {
    expectLinear(16_000, (size) => {
      const address = `https://api.example/${"/".repeat(size)}x`;
      return () => normalizeEndpointBaseUrl(address);
    });
  });
});

describe("trimCharacter", () => {
  it("removes a character at both ends and keeps it inside", () => {
    expect(trimCharacter("__a__b__", "_")).toBe("a__b");
    expect(trimCharacter("___", "_")).toBe("");
    expect(trimTrailingCharacter("/a//", "/")).toBe("/a");
  });
});
