import { describe, expect, it } from "vitest";
import { AliasCustody, AliasCustodySchema } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { enumNameToNumber, enumNumberToName } from "../../src/contract/enum-name.ts";

describe("the words of an enum", () => {
  it("stand for its numbers, in both directions", () => {
    expect(enumNameToNumber(AliasCustodySchema, "device-held")).toBe(AliasCustody.DEVICE_HELD);
    expect(enumNumberToName(AliasCustodySchema, AliasCustody.DEVICE_HELD)).toBe("device-held");
  });

  it("are none for the unspecified value and for a number that the contract has not", () => {
    for (const number of [undefined, AliasCustody.UNSPECIFIED, 99]) {
      expect(enumNumberToName(AliasCustodySchema, number)).toBeUndefined();
    }
  });

  it("are those of the contract alone", () => {
    expect(() => enumNameToNumber(AliasCustodySchema, "DEVICE_HELD")).toThrow(
      "no value `DEVICE_HELD`",
    );
  });
});
