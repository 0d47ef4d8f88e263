import fc from "fast-check";
import type { World } from "../run/world.ts";

export type Headers = Readonly<Record<string, string>>;

/** Who calls: nobody, junk, or one of the three kinds that the world has. */
export function someCredential(world: World): fc.Arbitrary<Headers> {
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(bearer(world.key)) },
    { weight: 4, arbitrary: fc.constant(bearer(world.session)) },
    { weight: 3, arbitrary: fc.constant(bearer(world.operator)) },
    { weight: 2, arbitrary: fc.constantFrom<Headers>({}, { authorization: "Basic YTpi" }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Headers>(
        { "x-api-key": world.key },
        { "x-api-key": world.session },
        { ...bearer(world.key), "x-api-key": "other" },
        { cookie: `causeway_session=${world.session}` },
        { cookie: "causeway_session=%zz; =; a" },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("junk", "", `${world.key}x`, `cwk_${"a".repeat(49)}`).map(bearer),
    },
  );
}
