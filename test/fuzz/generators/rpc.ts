import { toBinary, toJson, type DescMethod } from "@bufbuild/protobuf";
import fc from "fast-check";
import { gzipSync } from "node:zlib";
import {
  gatewayServiceDescriptors,
  depshealthServiceDescriptors,
} from "../../../src/contract/services.ts";
import { createReflectionServices } from "../../../src/transport/reflection/reflection-services.ts";
import type { CallCase, FuzzCase, ServiceName } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { someCredential } from "./credential.ts";
import { hostileJson, jsonText } from "./hostile.ts";
import { someMessage } from "./message.ts";
import { someCuts } from "./pieces.ts";
import { rawCall } from "./raw-call.ts";
import { someEnding } from "./raw-http1.ts";
import { credentialFor } from "./rule-credential.ts";

interface Procedure {
  readonly service: ServiceName;
  readonly method: DescMethod;
}

const procedures: readonly Procedure[] = (["gateway", "tools"] as const).flatMap((service) => {
  const contract = service === "gateway" ? gatewayServiceDescriptors : depshealthServiceDescriptors;
  const reflection = createReflectionServices(contract).map((mounted) => mounted.service);
  return [...contract, ...reflection].flatMap(({ methods }) =>
    methods.map((method) => ({ service, method })),
  );
});

/** How a protocol frames messages: one bare, or each behind a flag and a length. */
const contentTypes = [
  ["application/proto", false],
  ["application/json", false],
  ["application/connect+proto", true],
  ["application/connect+json", true],
  ["application/grpc", true],
  ["application/grpc+proto", true],
  ["application/grpc+json", true],
  ["application/grpc-web+proto", true],
  ["application/grpc-web+json", true],
  ["application/grpc-web-text", true],
] as const;

/** Calls over Connect, gRPC and gRPC-web, of which envelopes and messages are right, wrong or neither. */
export function rpcCases(world: World): fc.Arbitrary<FuzzCase> {
  return fc.constantFrom(...procedures).chain((procedure) => procedureCase(procedure, world));
}

function procedureCase({ service, method }: Procedure, world: World): fc.Arbitrary<FuzzCase> {
  return fc
    .record({
      type: fc.constantFrom(...contentTypes),
      message: someMessageOf(method, world),
      frame: someEnveloping,
      headers: someHeaders,
      credential: fc.oneof(
        { weight: 3, arbitrary: credentialFor(method, world) },
        { weight: 1, arbitrary: someCredential(world) },
      ),
      version: fc.constantFrom("http1", "http2", "http2"),
      cuts: fc.oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: someCuts },
      ),
      ending: someEnding,
    })
    .map(
      ({ type: [type, isFramed], message, frame, headers, credential, version, cuts, ending }) => {
        const bare = message(type.endsWith("json"));
        const framed = isFramed ? frame(bare) : bare;
        const body = type.endsWith("text") ? Buffer.from(framed.toString("base64")) : framed;
        const call: CallCase = {
          kind: "call",
          service,
          version,
          method: "POST",
          path: `/${method.parent.typeName}/${method.name}`,
          headers: { "content-type": type, ...credential, ...headers },
          body,
          // What Connect says of an encoding that is not known and of a call with several messages,
          // and of streams of both directions over HTTP/1.1.
          tolerates: method.methodKind === "bidi_streaming" ? [501, 505] : [501],
        };
        return cuts === undefined ? call : rawCall(call, cuts, ending);
      },
    );
}

type Encode = (asJson: boolean) => Buffer;

/** 2 MiB of a field that no message has, which a reader keeps or leaves out. */
const manyBytes = 2 * 1024 * 1024;
const unknownField = Buffer.concat([
  Buffer.from("c23e80808001", "hex"),
  Buffer.alloc(manyBytes, "a"),
]);

function someMessageOf({ input }: DescMethod, world: World): fc.Arbitrary<Encode> {
  const honest = someMessage(input, world).map((message): Encode => (asJson) => {
    if (!asJson) return Buffer.from(toBinary(input, message));
    try {
      return Buffer.from(JSON.stringify(toJson(input, message)));
    } catch {
      // Of a number of an enum that has no name, for instance.
      return Buffer.from("{}");
    }
  });
  return fc.oneof(
    { weight: 30, arbitrary: honest },
    {
      weight: 8,
      arbitrary: hostileJson.map(
        (value): Encode =>
          () =>
            Buffer.from(jsonText(value)),
      ),
    },
    {
      weight: 8,
      arbitrary: fc.uint8Array({ maxLength: 40 }).map(
        (bytes): Encode =>
          () =>
            Buffer.from(bytes),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constant<Encode>((asJson) =>
        asJson ? Buffer.from(`{"a":"${"a".repeat(manyBytes)}"}`) : unknownField,
      ),
    },
  );
}

function envelope(flags: number, message: Buffer, length = message.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

const someEnveloping: fc.Arbitrary<(message: Buffer) => Buffer> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((message: Buffer) => envelope(0, message)) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(1, 2, 3, 4, 0x80, 0x81, 0xff)
      .map((flags) => (message: Buffer) => envelope(flags, message)),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(0, 1, 5, 0x7fffffff, 0xffffffff)
      .map((length) => (message: Buffer) => envelope(0, message, length)),
  },
  fc.constantFrom(
    (message: Buffer) => envelope(1, gzipSync(message)),
    (message: Buffer) => Buffer.concat([envelope(0, message), envelope(0, message)]),
    (message: Buffer) => Buffer.concat([envelope(0, message), Buffer.from("trailing")]),
    (message: Buffer) => Buffer.concat([envelope(0, message), envelope(2, Buffer.from("{}"))]),
    (message: Buffer) =>
      Buffer.concat([envelope(0, message), envelope(0x80, Buffer.from("a: b\r\n"))]),
    (message: Buffer) => envelope(0, message).subarray(0, 3),
    (message: Buffer) => envelope(0, message).subarray(0, 5 + message.length / 2),
    () => Buffer.alloc(0),
    () => Buffer.from("ff00000003 0a0161".replace(" ", ""), "hex"),
  ),
);

const someHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { "grpc-encoding": "gzip" },
    { "grpc-encoding": "constructor" },
    { "connect-content-encoding": "gzip" },
    { "connect-content-encoding": "__proto__" },
    { "content-encoding": "gzip" },
    { "content-encoding": "br" },
    { "content-encoding": "constructor" },
    { "grpc-accept-encoding": "constructor,gzip" },
    { "connect-protocol-version": "1" },
    { "connect-protocol-version": "constructor" },
    { "connect-timeout-ms": "1" },
    { "connect-timeout-ms": "-1" },
    { "connect-timeout-ms": "99999999999999" },
    { "grpc-timeout": "1n" },
    { "grpc-timeout": "1S" },
    { "grpc-timeout": "constructor" },
    { "x-bin": "@@", "a-bin": "AAAA" },
    { "idempotency-key": "constructor" },
    { te: "trailers" },
  ),
);
