import fc from "fast-check";
import type { World } from "../run/world.ts";
import { flag, frame, frameType, headerBlock, number32 } from "../wire/http2-frames.ts";
import { someCredential } from "./credential.ts";
import { hostileName } from "./hostile.ts";
import { someCode, somePayload } from "./http2-stray-frames.ts";

type Fields = readonly (readonly [string, string])[];

const somePath = fc.constantFrom(
  ..."/healthz /v1/upstreams /v1/chat/completions /v1/messages /invites/inv_0 /mcp /".split(" "),
  ..."/causeway.account.v1.AccountService/GetMe /causeway.alias.v1.AliasService/WatchAliases".split(
    " ",
  ),
  ..."* /%00 /v1/package_health".split(" "),
  "",
);

const further: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.constantFrom<readonly [string, string]>(
    ["expect", "100-continue"],
    ["expect", "100-continue"],
    ["expect", "x"],
    ["content-type", "application/grpc"],
    ["content-type", "application/json"],
    ["content-type", "application/grpc-web+proto"],
    ["te", "trailers"],
    ["content-length", "5"],
    ["content-length", "x"],
    ["connection", "close"],
    ["upgrade", "h2c"],
    ["transfer-encoding", "chunked"],
    ["Upper", "case"],
    [":path", "/late"],
    [":unknown", "x"],
    [":protocol", "websocket"],
    ["host", "x"],
    ["cookie", "a"],
    ["cookie", "b=c"],
    ["grpc-timeout", "1n"],
    ["x-long", "v".repeat(17_000)],
    ["x", "\r\n"],
  ),
  hostileName.map((name): [string, string] => [name, "1"]),
);

/** One stream: its headers, and what follows them in the same packet. */
export function opening(world: World): fc.Arbitrary<OnStream> {
  return fc
    .record({
      strayStream: rarely(fc.constantFrom(0, 1, 2, 2 ** 31 - 1)),
      method: fc.constantFrom("GET", "POST", "POST", "POST", "HEAD", "OPTIONS", "CONNECT", "PURGE"),
      path: somePath,
      credential: someCredential(world),
      fields: fc.array(further, { maxLength: 2 }),
      missing: rarely(fc.nat(3)),
      partSize: fc.constantFrom(16_384, 16_384, 16_384, 60),
      isEnded: fc.boolean(),
      after: fc.array(fc.oneof({ weight: 2, arbitrary: following }, reset), { maxLength: 3 }),
      late: rarely(following),
    })
    .map((drawn) => (usual) => {
      const stream = drawn.strayStream ?? usual;
      const pseudo: Fields = [
        [":method", drawn.method],
        [":path", drawn.path],
        [":scheme", "http"],
        [":authority", "127.0.0.1"],
      ];
      const named = pseudo.filter((_, index) => index !== drawn.missing);
      const block = headerBlock([...named, ...Object.entries(drawn.credential), ...drawn.fields]);
      const end = drawn.isEnded ? flag.endStream : 0;
      const after = drawn.isEnded ? [drawn.late] : [...drawn.after, drawn.late];
      const rest = after.map((next) => next?.(stream) ?? Buffer.alloc(0));
      return Buffer.concat([headerFrames(stream, block, end, drawn.partSize), ...rest]);
    });
}

/** What ends a whole connection may stand in a few cases only, or nothing else would be tried. */
export function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );
}

/** Longer blocks than a frame may hold go on in CONTINUATION frames. */
function headerFrames(stream: number, block: Buffer, end: number, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < block.length; at += size) parts.push(block.subarray(at, at + size));
  return Buffer.concat(
    parts.map((part, index) => {
      const done = index === parts.length - 1 ? flag.endHeaders : 0;
      return index === 0
        ? frame(frameType.headers, end + done, stream, part)
        : frame(frameType.continuation, done, stream, part);
    }),
  );
}

/** Frames of one stream. */
export type OnStream = (stream: number) => Buffer;

const reset: fc.Arbitrary<OnStream> = someCode.map(
  (code) => (stream) => frame(frameType.reset, 0, stream, number32(code)),
);

const following: fc.Arbitrary<OnStream> = fc.oneof<fc.Arbitrary<OnStream>[]>(
  fc.record({ payload: somePayload, flags: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 8) }).map(
    ({ payload, flags }) =>
      (stream) =>
        frame(frameType.data, flags, stream, payload),
  ),
  fc
    .constantFrom(0, 1, 65_535, 2 ** 31 - 1)
    .map((size) => (stream) => frame(frameType.windowUpdate, 0, stream, number32(size))),
  fc.constant((stream: number) =>
    frame(frameType.headers, flag.endHeaders + flag.endStream, stream, headerBlock([["x", "y"]])),
  ),
);

/** Streams that one flood opens at most. */
export const mostOfFlood = 60;

/** Streams that are opened and reset at once, in bounds. */
export const flood: fc.Arbitrary<OnStream> = fc
  .integer({ min: 5, max: mostOfFlood })
  .map((count) => (first) => {
    const block = headerBlock([
      [":method", "POST"],
      [":path", "/healthz"],
      [":scheme", "http"],
      [":authority", "x"],
    ]);
    const streams = Array.from({ length: count }, (_, index) => first + 2 * index);
    return Buffer.concat(
      streams.flatMap((stream) => [
        frame(frameType.headers, flag.endHeaders, stream, block),
        frame(frameType.reset, 0, stream, number32(8)),
      ]),
    );
  });
