import { expect, it } from "vitest";
import {
  previousResponseNotFoundError,
  storedItemNotFoundError,
} from "../../../src/dialect/responses/missing-stored.ts";

it.each([
  ["a response", previousResponseNotFoundError("r".repeat(1_000_000))],
  ["an item", storedItemNotFoundError("input[0]", "r".repeat(1_000_000))],
])("the refusal of an id of %s quotes its beginning alone", (_what, error) => {
  expect(error.message).toContain("`rrrr");
  expect(error.message.length).toBeLessThan(300);
});
