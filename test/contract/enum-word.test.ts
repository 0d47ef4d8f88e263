import { describe, expect, it } from "vitest";
import { AliasCustody, AliasCustodySchema } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { enumNumber, enumWord } from "../../src/contract/enum-word.ts";

describe("the words of an enum", () => {
  it("stand for its numbers, in both directions", () => {
    expect(enumNumber(AliasCustodySchema, "device-held")).toBe(AliasCustody.DEVICE_HELD);
    expect(enumWord(AliasCustodySchema, AliasCustody.DEVICE_HELD)).toBe("device-held");
  });

  it("are none for the unspecified value and for a number that the contract has not", () => {
    for (const number of [undefined, AliasCustody.UNSPECIFIED, 99]) {
      expect(enumWord(AliasCustodySchema, number)).toBeUndefined();
    }
  });

  it("are those of the contract alone", () => {
    expect(() => enumNumber(AliasCustodySchema, "DEVICE_HELD")).toThrow("no value `DEVICE_HELD`");
  });
});
