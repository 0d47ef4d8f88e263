import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { parseLosslessJson } from "../../src/dialect/parse-exact.ts";

const big = "12345678901234567890";

const print = (text: string): string => JSON.stringify(parseLosslessJson(text));

describe("parseExact", () => {
  it.each([
    big,
    `-${big}`,
    "1e999",
    `[${big},1.0,1e5,-0,"${big}"]`,
    `{"${big}":${big},"a":"\\"${big}\\\\","b":[[{"c":1E+400}]]}`,
    `{"__proto__":${big},"toString":${big}}`,
  ])("prints %s as it was", (text) => {
    expect(print(text)).toBe(text);
  });

  it("reads what JSON.parse reads, in a text with a number that no double holds", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const [, value] = parseLosslessJson(`[${big},${text}]`) as unknown[];
        expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    `{${big}:1}`,
    `{${big} :1}`,
    `[${big}e5e5]`,
    `[0${big}]`,
    `["a"${big}]`,
    `[${big}${big}e]`,
    `[${big},"a]`,
    `{"a":${big}`,
    `[${big}.]`,
    `[--${big}]`,
  ])("refuses %s with the error of JSON.parse", (text) => {
    const refusal = (parse: (json: string) => unknown): unknown => {
      try {
        return parse(text);
      } catch (error) {
        return error;
      }
    };
    const expected = refusal(JSON.parse);
    expect(expected).toBeInstanceOf(SyntaxError);
    expect(refusal(parseLosslessJson)).toEqual(expected);
  });
});
