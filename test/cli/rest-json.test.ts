import {
  create,
  ScalarType,
  type DescField,
  type DescMessage,
  type Message,
} from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { UpstreamSchema } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { restJson } from "../../src/cli/rest-json.ts";
import { services } from "../../src/cli/services.ts";
import { messageEncoder } from "../../src/transport/rest/encode-message.ts";

const outputs = services
  .flatMap(({ methods }) => methods)
  .map(({ output }): [string, DescMessage] => [output.name, output]);

/** What the server prints over REST. */
function overRest(desc: DescMessage, message: Message): unknown {
  return JSON.parse(JSON.stringify(messageEncoder(desc)(message)));
}

/** A message with a value in every field. */
function filled(desc: DescMessage): Message {
  if (desc.typeName === "google.protobuf.Timestamp") return timestampFromMs(1_795_000_000_120);
  const members = desc.fields.map((field) => [field.localName, filledField(field)]);
  return create(desc, Object.fromEntries(members));
}

function filledField(field: DescField): unknown {
  if (field.fieldKind === "list") return [filledValue(field), filledValue(field)];
  if (field.fieldKind === "map") return { a: filledValue(field) };
  return filledValue(field);
}

function filledValue(field: DescField): unknown {
  if (field.message?.typeName === "google.protobuf.Struct") return { any: ["json"] };
  if (field.message !== undefined) return filled(field.message);
  if (field.enum !== undefined) return field.enum.values.at(-1)?.number;
  switch (field.scalar) {
    case ScalarType.STRING:
      return "text";
    case ScalarType.BOOL:
      return true;
    case ScalarType.INT64:
      return 7n;
    default:
      return 7;
  }
}

describe("restJson()", () => {
  it.each(outputs)("prints %s as REST does", (_, desc) => {
    for (const message of [filled(desc), create(desc)]) {
      expect(restJson(desc, message)).toEqual(overRest(desc, message));
    }
  });

  it("spells enums and times as REST does", () => {
    expect(restJson(UpstreamSchema, filled(UpstreamSchema))).toMatchObject({
      dialect: "dialect_responses",
      updated_at: "2026-11-18T11:06:40.120Z",
    });
  });
});
