import {
  toBinary,
  type DescFile,
  type DescService,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from "../../../gen/ts/grpc/reflection/v1/reflection_pb.ts";
import { bindServiceImplementation, type MountedService } from "../mounted-service.ts";
import { toReflectionAlphaService } from "./alpha-service.ts";
import {
  createDescriptorIndex,
  collectProtoFileImports,
  type DescriptorIndex,
} from "./descriptor-index.ts";
import { toFileDescriptorProto } from "./file-descriptor.ts";

type Answer = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

/**
 * gRPC server reflection over the given services, in version 1 and in the form
 * before it. Mount what this returns beside the services; it needs no credential.
 */
export function createReflectionServices(services: readonly DescService[]): MountedService[] {
  const alpha = toReflectionAlphaService(ServerReflection);
  const described = [...services, ServerReflection, alpha];
  const answer = answerer(described, createDescriptorIndex(described));
  const implementation = {
    async *serverReflectionInfo(requests: AsyncIterable<ServerReflectionRequest>) {
      for await (const request of requests) {
        yield {
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(request),
        };
      }
    },
  };
  return [
    bindServiceImplementation(ServerReflection, implementation),
    bindServiceImplementation(alpha, implementation),
  ];
}

function answerer(
  services: readonly DescService[],
  index: DescriptorIndex,
): (request: ServerReflectionRequest) => Answer {
  const names = services.map(({ typeName }) => ({ name: typeName }));
  return ({ messageRequest: { case: question, value } }) => {
    switch (question) {
      case "listServices":
        return { case: "listServicesResponse", value: { service: names } };
      case "fileByFilename":
        return filesOf(index.fileByName(value), value);
      case "fileContainingSymbol":
        return filesOf(index.fileOfSymbol(value), value);
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = value;
        const file = index.fileOfExtension(containingType, extensionNumber);
        return filesOf(file, `extension ${extensionNumber} of ${containingType}`);
      }
      case "allExtensionNumbersOfType":
        return numbersOf(index.extensionNumbers(value), value);
      default:
        return refuse(Code.InvalidArgument, "The request asks for nothing.");
    }
  };
}

function filesOf(file: DescFile | undefined, asked: string): Answer {
  if (file === undefined) return refuse(Code.NotFound, `${asked} is not known.`);
  const files = collectProtoFileImports(file).map((it) =>
    toBinary(FileDescriptorProtoSchema, toFileDescriptorProto(it)),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: files } };
}

function numbersOf(numbers: readonly number[] | undefined, typeName: string): Answer {
  if (numbers === undefined) return refuse(Code.NotFound, `${typeName} is not known.`);
  return {
    case: "allExtensionNumbersResponse",
    value: { baseTypeName: typeName, extensionNumber: [...numbers] },
  };
}

function refuse(code: Code, message: string): Answer {
  return { case: "errorResponse", value: { errorCode: code, errorMessage: message } };
}
