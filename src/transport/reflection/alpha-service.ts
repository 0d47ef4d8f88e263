import {
  createFileRegistry,
  fromJsonString,
  toJsonString,
  type DescFile,
  type DescService,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/**
 * The same service under the package that it had before version 1, which older
 * clients ask for. The messages are alike to the last number, so the type of the
 * one serves for the other.
 */
export function toReflectionAlphaService<Service extends DescService>(service: Service): Service {
  const alpha = toAlpha(service.file);
  const found = alpha.getService(`grpc.reflection.v1alpha.${service.name}`);
  if (found === undefined) throw new Error(`${service.typeName} has no earlier form`);
  return found as Service;
}

/** The file imports nothing, and its names stand in no other text of it. */
function toAlpha(file: DescFile): ReturnType<typeof createFileRegistry> {
  const json = toJsonString(FileDescriptorSetSchema, {
    $typeName: "google.protobuf.FileDescriptorSet",
    file: [file.proto],
  });
  const renamed = json
    .replaceAll("grpc.reflection.v1", "grpc.reflection.v1alpha")
    .replaceAll("grpc/reflection/v1/", "grpc/reflection/v1alpha/");
  return createFileRegistry(fromJsonString(FileDescriptorSetSchema, renamed));
}
