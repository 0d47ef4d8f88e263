import fc from "fast-check";

/** Where a text of bytes is cut, as shares of its length; none: it goes in one piece. */
export const someCuts: fc.Arbitrary<readonly number[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  {
    weight: 3,
    arbitrary: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 }),
  },
);

/** The bytes in pieces, none of them empty. */
export function cutAt(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const places = shares.map((share) => Math.floor(share * bytes.length));
  const sorted = [0, ...places.toSorted((one, other) => one - other), bytes.length];
  return sorted
    .slice(1)
    .map((end, index) => bytes.subarray(sorted[index], end))
    .filter(({ length }) => length > 0);
}
