import { readFileSync } from "node:fs";
import { create, type JsonObject } from "@bufbuild/protobuf";
import type { Command } from "commander";
import {
  DocumentService,
  GetServiceDocumentRequestSchema,
  GetServiceRequestSchema,
} from "../../../../gen/ts/causeway/document/v1/document_pb.ts";
import { invokeServerRpc } from "../../invoke-method.ts";
import { resolveCliProfileContext, type CliProfileContext } from "../../cli-context.ts";
import { parseOrThrowUsageError } from "../../parse-or-usage-error.ts";
import { isProtobufJsonObject } from "../../../contract/json/decode-json.ts";
import { readWholeRegularFile } from "../../regular-file.ts";
import { formatTable } from "../../format-table.ts";
import { runAndReportCliError } from "../../run-command.ts";
import { decodeServiceDocumentJson } from "../service-rows.ts";
import { compareOpenApiDocuments, type OpenApiOperationChange } from "./compare-documents.ts";
import { OpenApiDiffDocument } from "./open-api-document.ts";
import { parseOpenApiDocument } from "./read-open-api.ts";
import { formatTerminalSafeJson, writeToStdout } from "../../output.ts";

const { getService, getServiceDocument } = DocumentService.method;

const moreHelp = `
The file is an OpenAPI document, 3.0 or 3.1, JSON or YAML; - reads it from standard input.
What traffic shows and the file does not say is new; what the file says and no traffic
showed is gone. Paths are compared by their shape: /users/{id} is /users/{user_id}.
Exit codes, as those of diff: 0, the documents say the same; 1, they differ; 2, they
could not be compared.`;
const differencesExitCode = 1;
const errorExitCode = 2;

interface DiffFlags {
  readonly shipped?: boolean;
  readonly json?: boolean;
}

/** Adds `services diff`, which holds the document of a service against another. */
export function addServicesDiffCommand(services: Command): void {
  const command = services.command("diff");
  command
    .description("Compares what was learned of a service with another OpenAPI document")
    .argument("<service-id>", "Id of the service")
    .argument("<file>", "the other document")
    .option("--shipped", "compare what was published, in place of what was learned since")
    .option("--json", "print the differences as JSON")
    .addHelpText("after", moreHelp);
  command.action(async (serviceId: string, file: string) => {
    const { shipped, json } = command.opts<DiffFlags>();
    const text = parseOrThrowUsageError(command, () => textOf(file));
    await runAndReportCliError(async () => {
      const was = parseOpenApiDocument(file, text);
      const ask = shipped === true ? publishedDocument : learnedDocument;
      const now = new OpenApiDiffDocument(await ask(serviceId, resolveCliProfileContext(command)));
      const changes = compareOpenApiDocuments({ was, now });
      writeToStdout(
        json === true
          ? formatTerminalSafeJson({ data: changes, summary: countsOf(changes) })
          : inText(changes),
      );
      if (changes.length > 0) process.exitCode = differencesExitCode;
    }, errorExitCode);
  });
}

function textOf(file: string): string {
  return file === "-" ? readFileSync(0, "utf8") : readWholeRegularFile(file).toString("utf8");
}

async function learnedDocument(serviceId: string, caller: CliProfileContext): Promise<JsonObject> {
  const { document } = await invokeServerRpc(
    getService,
    create(GetServiceRequestSchema, { serviceId }),
    caller,
  );
  return isProtobufJsonObject(document) ? document : {};
}

async function publishedDocument(
  serviceId: string,
  caller: CliProfileContext,
): Promise<JsonObject> {
  const request = create(GetServiceDocumentRequestSchema, { serviceId });
  return decodeServiceDocumentJson(await invokeServerRpc(getServiceDocument, request, caller));
}

function inText(changes: readonly OpenApiOperationChange[]): string {
  if (changes.length === 0) return "no differences";
  const rows = changes.map(({ change, operation, place, was, now }) => ({
    change,
    operation,
    place: place === "" ? null : place,
    file: was,
    traffic: now,
  }));
  const counts = Object.entries(countsOf(changes)).map(([kind, count]) => `${count} ${kind}`);
  return `${formatTable(rows)}\n\n${counts.join(", ")}`;
}

function countsOf(
  changes: readonly OpenApiOperationChange[],
): Record<OpenApiOperationChange["change"], number> {
  const count = (kind: string) => changes.filter(({ change }) => change === kind).length;
  return { new: count("new"), gone: count("gone"), changed: count("changed") };
}
