import type {
  DescEnum,
  DescExtension,
  DescFile,
  DescMessage,
  DescService,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";

/** Finds files by what they are called and what they declare. */
export interface DescriptorIndex {
  fileByName(name: string): DescFile | undefined;
  /** By the full name of a service, method, message, field, oneof, enum, enum value or extension. */
  fileOfSymbol(name: string): DescFile | undefined;
  fileOfExtension(typeName: string, number: number): DescFile | undefined;
  /** Field numbers of the extensions of a message; undefined for a message that is not known. */
  extensionNumbers(typeName: string): readonly number[] | undefined;
}

/** Indexes the files of the services and everything they import. */
export function createDescriptorIndex(services: readonly DescService[]): DescriptorIndex {
  const files = new Map<string, DescFile>();
  for (const { file } of services)
    for (const it of collectProtoFileImports(file)) files.set(it.proto.name, it);
  const types = [...files.values()].flatMap((file) => [...nestedTypes(file)]);
  const symbols = new Map(
    types.flatMap((type) => symbolsOf(type).map((name) => [name, type.file])),
  );
  const extensions = types.filter((type) => type.kind === "extension");
  return {
    fileByName: (name) => files.get(name),
    fileOfSymbol: (name) => symbols.get(name),
    fileOfExtension(typeName, number) {
      return extensions.find((it) => it.extendee.typeName === typeName && it.number === number)
        ?.file;
    },
    extensionNumbers(typeName) {
      if (!symbols.has(typeName)) return undefined;
      return extensions.filter((it) => it.extendee.typeName === typeName).map((it) => it.number);
    },
  };
}

/** A file and all that it imports, directly or not; each once, the file itself first. */
export function collectProtoFileImports(file: DescFile): DescFile[] {
  const found = new Set([file]);
  for (const it of found) for (const imported of it.dependencies) found.add(imported);
  return [...found];
}

type DescType = DescEnum | DescExtension | DescMessage | DescService;

function symbolsOf(type: DescType): string[] {
  return [type.typeName, ...membersOf(type)];
}

/** The values of an enum are named beside it, not below it. */
function membersOf(type: DescType): string[] {
  switch (type.kind) {
    case "service":
      return type.methods.map((method) => `${type.typeName}.${method.name}`);
    case "message":
      return [...type.fields, ...type.oneofs].map((member) => `${type.typeName}.${member.name}`);
    case "enum": {
      const scope = type.typeName.slice(0, type.typeName.lastIndexOf(".") + 1);
      return type.values.map((value) => `${scope}${value.name}`);
    }
    default:
      return [];
  }
}
