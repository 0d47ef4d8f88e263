import fc from "fast-check";
import type { FuzzCase } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { frame, frameType, preface, settings } from "../wire/http2-frames.ts";
import { flood, mostOfFlood, opening, type OnStream } from "./http2-streams.ts";
import { rightFrame, stray } from "./http2-stray-frames.ts";
import { cutAt } from "./pieces.ts";
import { someEnding, someService } from "./raw-http1.ts";

/** Without a dynamic table, so that statuses can be read from what comes back. */
const greeting = Buffer.concat([preface, frame(frameType.settings, 0, 0, settings([[1, 0]]))]);

/** Frames over HTTP/2: requests with all that may be done to them, and frames that nobody expects. */
export function rawHttp2Cases(world: World): fc.Arbitrary<FuzzCase> {
  const onConnection = (frames: fc.Arbitrary<Buffer>) => frames.map((bytes) => () => bytes);
  const sent = fc.array(
    fc.oneof<fc.WeightedArbitrary<OnStream>[]>(
      { weight: 14, arbitrary: opening(world) },
      { weight: 4, arbitrary: onConnection(rightFrame) },
      { weight: 1, arbitrary: onConnection(stray) },
      { weight: 1, arbitrary: flood },
    ),
    { minLength: 1, maxLength: 5 },
  );
  return fc
    .record({
      sent,
      start: fc.oneof(
        { weight: 30, arbitrary: fc.constant(greeting) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(preface, preface.subarray(0, 20), Buffer.alloc(0)),
        },
      ),
      cuts: fc.oneof(
        fc.constant([]),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      ),
      service: someService,
      ending: someEnding,
    })
    .map(({ sent, start, cuts, service, ending }) => ({
      kind: "raw",
      reads: "http2",
      service,
      pieces: cutAt(
        Buffer.concat([start, ...sent.map((frames, index) => frames(firstOf(index)))]),
        cuts,
      ),
      ending,
      tolerates: [],
    }));
}

/** So far apart that a flood fits between two. */
function firstOf(index: number): number {
  return 1 + 2 * index * mostOfFlood;
}
