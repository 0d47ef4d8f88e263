import {
  ScalarType,
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
} from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label as Label } from "@bufbuild/protobuf/wkt";

/**
 * Prints a proto2 descriptor as source that compiles to the same messages,
 * enums and extensions. Comments and options are left out, but for the Go package: a
 * compiler that only needs the names, numbers and types gets no more.
 */
export function printProto(file: DescFile): string {
  const imports = file.dependencies.map((it) => `import "${it.proto.name}";\n`).join("");
  const declarations = [
    ...file.extensions.map(printExtension),
    ...file.enums.map(printEnum),
    ...file.messages.map(printMessage),
  ];
  const head = `syntax = "proto2";\n\npackage ${file.proto.package};\n\n${imports}\n`;
  return `${head}${printGoPackage(file)}${declarations.join("\n\n")}\n`;
}

/** Generated Go imports the packages of other files by it. */
function printGoPackage({ proto }: DescFile): string {
  const goPackage = proto.options?.goPackage ?? "";
  return goPackage === "" ? "" : `option go_package = "${goPackage}";\n\n`;
}

function printMessage(message: DescMessage): string {
  return block(`message ${message.name}`, [
    ...message.nestedEnums.map(printEnum),
    ...message.nestedMessages.map(printMessage),
    ...message.nestedExtensions.map(printExtension),
    ...message.members.map(printMember),
    ...message.proto.extensionRange.map(
      (range) => `extensions ${range.start} to ${range.end - 1};`,
    ),
  ]);
}

function printMember(member: DescMessage["members"][number]): string {
  return member.kind === "oneof"
    ? block(`oneof ${member.name}`, member.fields.map(printType))
    : `${label(member)} ${printType(member)}`;
}

function printEnum(desc: DescEnum): string {
  return block(
    `enum ${desc.name}`,
    desc.values.map((value) => `${value.name} = ${value.number};`),
  );
}

function printExtension(desc: DescExtension): string {
  return block(`extend ${desc.extendee.typeName}`, [`${label(desc)} ${printType(desc)}`]);
}

function printType(field: DescField | DescExtension): string {
  const scalar = ScalarType[field.proto.type]?.toLowerCase();
  const type = field.proto.typeName === "" ? scalar : field.proto.typeName;
  return `${type} ${field.name} = ${field.number};`;
}

function label(field: DescField | DescExtension): string {
  return field.proto.label === Label.REPEATED ? "repeated" : "optional";
}

function block(head: string, lines: readonly string[]): string {
  const body = lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}\n`).join("");
  return `${head} {\n${body}}`;
}
