import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { create, createFileRegistry, fromBinary, type DescService } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient, type Client, type ConnectRouter } from "@connectrpc/connect";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { FastifyInstance } from "fastify";
import { describe, expect, test } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { UpstreamService } from "../../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import {
  ExtensionRequestSchema,
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "../../../gen/ts/grpc/reflection/v1/reflection_pb.ts";
import { toReflectionAlphaService } from "../../../src/transport/reflection/alpha-service.ts";
import { createReflectionServices } from "../../../src/transport/reflection/reflection-services.ts";
import { startFront } from "../front/start-front.ts";

type Question = ServerReflectionRequest["messageRequest"];
type Answer = ServerReflectionResponse["messageResponse"];

const alpha = toReflectionAlphaService(ServerReflection);

/** A gRPC client over cleartext HTTP/2, as grpcurl's `-plaintext` is one. */
async function startClient(
  service: typeof ServerReflection,
): Promise<Client<typeof ServerReflection>> {
  const { url } = await startFront(mountReflection);
  return createClient(service, createGrpcTransport({ baseUrl: url }));
}

function mountReflection(app: FastifyInstance): void {
  void app.register(fastifyConnectPlugin, { routes });
}

function routes(router: ConnectRouter): void {
  for (const mounted of createReflectionServices([AccountService, UpstreamService])) {
    router.service(mounted.service, mounted.implementation);
  }
}

async function ask(
  client: Client<typeof ServerReflection>,
  ...questions: Question[]
): Promise<Answer[]> {
  async function* requests() {
    for (const messageRequest of questions) yield { host: "a", messageRequest };
  }
  const answers: Answer[] = [];
  for await (const response of client.serverReflectionInfo(requests())) {
    answers.push(response.messageResponse);
  }
  return answers;
}

function filesOf(answer: Answer | undefined) {
  const bytes = answer?.case === "fileDescriptorResponse" ? answer.value.fileDescriptorProto : [];
  return bytes.map((file) => fromBinary(FileDescriptorProtoSchema, file));
}

function symbol(value: string): Question {
  return { case: "fileContainingSymbol", value };
}

describe.each([
  ["v1", ServerReflection],
  ["v1alpha", alpha],
])("reflection %s over gRPC", (_version, service) => {
  test("[start.reflection] lists the services, its own included", async () => {
    const client = await startClient(service);
    const [answer] = await ask(client, { case: "listServices", value: "" });
    const names = answer?.case === "listServicesResponse" ? answer.value.service : [];
    expect(names.map(({ name }) => name)).toEqual([
      "causeway.account.v1.AccountService",
      "causeway.upstream.v1.UpstreamService",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
    ]);
  });

  test("answers one stream of questions in order, with the questions", async () => {
    const client = await startClient(service);
    const answers = await ask(
      client,
      symbol("causeway.upstream.v1.UpstreamService"),
      { case: "fileByFilename", value: "causeway/nothing.proto" },
      { case: "listServices", value: "*" },
    );
    expect(answers.map((it) => it.case)).toEqual([
      "fileDescriptorResponse",
      "errorResponse",
      "listServicesResponse",
    ]);
  });

  test("gives a file with everything a client needs to call the service", async () => {
    const client = await startClient(service);
    const [answer] = await ask(client, symbol("causeway.upstream.v1.UpstreamService"));
    const files = filesOf(answer);
    expect(files[0]?.name).toBe("causeway/upstream/v1/upstream.proto");
    const set = { $typeName: FileDescriptorSetSchema.typeName, file: files.toReversed() } as const;
    const found: DescService | undefined = createFileRegistry(set).getService(
      "causeway.upstream.v1.UpstreamService",
    );
    expect(found?.methods.map((method) => method.name)).toEqual(
      UpstreamService.methods.map((method) => method.name),
    );
  });
});

describe("generating from what reflection answers", () => {
  test("finds the Go package of every file that is not ours", async () => {
    const client = await startClient(ServerReflection);
    const [answer] = await ask(client, symbol("causeway.upstream.v1.UpstreamService"));
    const others = filesOf(answer).filter(({ name }) => !name.startsWith("causeway/"));
    expect(others.map(({ name }) => name)).toContain("google/protobuf/descriptor.proto");
    const without = others.filter(({ options }) => (options?.goPackage ?? "") === "");
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});

describe("questions", () => {
  test.each([
    ["a method", "causeway.upstream.v1.UpstreamService.ProbeUpstream"],
    ["a message", "causeway.upstream.v1.Upstream"],
    ["a field", "causeway.upstream.v1.Upstream.slug"],
    ["an enum", "causeway.dialect.v1.Dialect"],
    ["an enum value", "causeway.dialect.v1.DIALECT_CHAT"],
    ["an extension", "causeway.options.v1.method"],
    ["an imported type", "google.protobuf.Timestamp"],
    ["an earlier form of reflection", "grpc.reflection.v1alpha.ServerReflectionRequest"],
  ])("find %s", async (_kind, name) => {
    const client = await startClient(ServerReflection);
    const [answer] = await ask(client, symbol(name));
    expect(filesOf(answer).length).toBeGreaterThan(0);
  });

  test("find an extension by its number, and the numbers of a message's extensions", async () => {
    const client = await startClient(ServerReflection);
    const containingType = "google.protobuf.MethodOptions";
    const extension = create(ExtensionRequestSchema, { containingType, extensionNumber: 50201 });
    const [file, numbers] = await ask(
      client,
      { case: "fileContainingExtension", value: extension },
      { case: "allExtensionNumbersOfType", value: containingType },
    );
    expect(filesOf(file)[0]?.name).toBe("causeway/options/v1/options.proto");
    const known =
      numbers?.case === "allExtensionNumbersResponse" ? numbers.value.extensionNumber : [];
    // 72295728 is google.api.http.
    expect(known).toEqual(expect.arrayContaining([50201, 72295728]));
  });

  test("without an answer are refused by a message, not by the end of the stream", async () => {
    const client = await startClient(ServerReflection);
    const answers = await ask(
      client,
      symbol("causeway.Nothing"),
      { case: "allExtensionNumbersOfType", value: "causeway.Nothing" },
      { case: undefined },
    );
    const codes = answers.map((it) => (it.case === "errorResponse" ? it.value.errorCode : 0));
    expect(codes).toEqual([5, 5, 3]);
  });
});

describe("buf curl", () => {
  test("lists the methods by reflection alone", async () => {
    const { url } = await startFront(mountReflection);
    const { stdout } = await promisify(execFile)("node_modules/.bin/buf", [
      "curl",
      "--protocol=grpc",
      "--http2-prior-knowledge",
      "--list-methods",
      url,
    ]);
    expect(stdout.split("\n")).toContain("causeway.upstream.v1.UpstreamService/ProbeUpstream");
  });
});
