import { create, type DescFile } from "@bufbuild/protobuf";
import {
  FileOptionsSchema,
  type FileDescriptorProto,
  type FileOptions,
} from "@bufbuild/protobuf/wkt";

/** As the file itself says; the runtime's copy of it says nothing. */
const descriptorOptions: FileOptions = create(FileOptionsSchema, {
  javaPackage: "com.google.protobuf",
  javaOuterClassname: "DescriptorProtos",
  goPackage: "google.golang.org/protobuf/types/descriptorpb",
  csharpNamespace: "Google.Protobuf.Reflection",
  objcClassPrefix: "GPB",
  ccEnableArenas: true,
});

/**
 * A file as others are told of it. `google/protobuf/descriptor.proto` gets back the
 * options that its copy in this runtime lacks: a generator of Go stops at a file that
 * is imported and names no Go package.
 */
export function toFileDescriptorProto({ name, proto }: DescFile): FileDescriptorProto {
  if (name !== "google/protobuf/descriptor" || proto.options !== undefined) return proto;
  return { ...proto, options: descriptorOptions };
}
