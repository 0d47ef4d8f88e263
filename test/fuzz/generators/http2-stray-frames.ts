import fc from "fast-check";
import { flag, frame, frameType, number32, settings } from "../wire/http2-frames.ts";

const someStream = fc.constantFrom(1, 1, 1, 3, 5, 7, 0, 2, 2 ** 31 - 1, 2 ** 31 + 1);
export const someCode = fc.constantFrom(0, 1, 2, 5, 7, 8, 11, 13, 99);
export const somePayload = fc
  .oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(0, 8, 16_384).map((length) => new Uint8Array(length)),
  )
  .map((bytes) => Buffer.from(bytes));

/** Of which some values are not allowed to some settings. */
const setting = fc.tuple(
  fc.constantFrom(1, 3, 4, 4, 5, 6, 6, 99, 2),
  fc.constantFrom(1, 0, 100, 16_384, 65_535, 2 ** 24 - 1, 2 ** 31 - 1),
);

/** Frames of the connection that are right wherever they stand. */
export const rightFrame: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .array(setting, { maxLength: 3 })
    .map((pairs) => frame(frameType.settings, 0, 0, settings(pairs))),
  fc
    .uint8Array({ minLength: 8, maxLength: 8 })
    .map((data) => frame(frameType.ping, 0, 0, Buffer.from(data))),
  fc.constantFrom(1, 65_535).map((size) => frame(frameType.windowUpdate, 0, 0, number32(size))),
  fc
    .uint8Array({ minLength: 5, maxLength: 5 })
    .map((payload) => frame(frameType.priority, 0, 1, Buffer.from(payload))),
  fc.constant(frame(99, 0, 0, Buffer.from("unknown types are to be ignored"))),
);

/** Frames of which most end the connection. */
export const stray: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .array(setting, { maxLength: 5 })
    .map((pairs) => frame(frameType.settings, 0, 0, settings(pairs))),
  fc.constant(frame(frameType.settings, flag.ack, 0)),
  fc
    .tuple(someStream, somePayload)
    .map(([stream, payload]) => frame(frameType.priority, 0, stream, payload)),
  fc
    .tuple(someStream, someCode)
    .map(([stream, code]) => frame(frameType.reset, 0, stream, number32(code))),
  fc
    .tuple(someStream, fc.constantFrom(0, 1, 2 ** 31 - 1, 2 ** 32 - 1))
    .map(([stream, size]) => frame(frameType.windowUpdate, 0, stream, number32(size))),
  fc
    .tuple(someStream, somePayload)
    .map(([stream, payload]) => frame(frameType.continuation, flag.endHeaders, stream, payload)),
  fc
    .tuple(someStream, somePayload)
    .map(([stream, payload]) => frame(frameType.pushPromise, 4, stream, payload)),
  someCode.map((code) =>
    frame(frameType.goAway, 0, 0, Buffer.concat([number32(0), number32(code)])),
  ),
  fc
    .record({
      type: fc.nat(255),
      flags: fc.nat(255),
      stream: someStream,
      payload: somePayload,
      claimed: fc.constantFrom(undefined, undefined, 0, 3, 16_385, 2 ** 24 - 1),
    })
    .map(({ type, flags, stream, payload, claimed }) =>
      frame(type, flags, stream, payload, claimed),
    ),
);
