import * as fc from "fast-check";
import { expect, test } from "vitest";
import { usdToNanoDigits, nanoDigitsToUsd } from "../../src/domain/money.ts";

test.each([
  [0, "0"],
  [0.1, "100000000"],
  [1, "1000000000"],
  [12.000000001, "12000000001"],
  [0.000000001, "1"],
  [999999999.1234567, "999999999123456700"],
  [1_000_000_000, "1000000000000000000"],
])("%d dollars are %s nano-dollars and back", (usd, nano) => {
  expect(usdToNanoDigits(usd, "limit_usd")).toBe(nano);
  expect(nanoDigitsToUsd(nano)).toBe(usd);
});

test("whole nano-dollars survive the way there and back", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nano) => {
      expect(usdToNanoDigits(nanoDigitsToUsd(nano.toString()), "limit_usd")).toBe(nano.toString());
    }),
  );
});

test.each([0.0000000001, 0.1 + 0.2, 1.0000000001, 12345.12345678912])(
  "a tenth decimal is refused: %d",
  (usd) => {
    expect(() => usdToNanoDigits(usd, "budget.limit_usd")).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        param: "budget.limit_usd",
        message: "`budget.limit_usd` must have at most nine decimals.",
      }),
    );
  },
);
