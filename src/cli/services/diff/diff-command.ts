import { readFileSync } from "node:fs";
import { create, type JsonObject } from "@bufbuild/protobuf";
import type { Command } from "commander";
import {
  DocumentService,
  GetServiceDocumentRequestSchema,
  GetServiceRequestSchema,
} from "../../../../gen/ts/causeway/document/v1/document_pb.ts";
import { call } from "../../call.ts";
import { callerOf, type Caller } from "../../caller.ts";
import { orUsageError } from "../../or-usage-error.ts";
import { isJsonObject } from "../../../contract/json/decode-json.ts";
import { table } from "../../table.ts";
import { tell } from "../../tell.ts";
import { documentIn } from "../service-views.ts";
import { compareDocuments, type DocumentChange } from "./compare-documents.ts";
import { ComparedDocument } from "./open-api-document.ts";
import { readOpenApi } from "./read-open-api.ts";

const { getService, getServiceDocument } = DocumentService.method;

const moreHelp = `
The file is an OpenAPI document, 3.0 or 3.1, JSON or YAML; - reads it from standard input.
What traffic shows and the file does not say is new; what the file says and no traffic
showed is gone. Paths are compared by their shape: /users/{id} is /users/{user_id}.
Exit codes, as those of diff: 0, the documents say the same; 1, they differ; 2, they
could not be compared.`;
const differ = 1;
const trouble = 2;

interface DiffFlags {
  readonly shipped?: boolean;
  readonly json?: boolean;
}

/** Adds `services diff`, which holds the document of a service against another. */
export function addDiffCommand(services: Command): void {
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
    const text = orUsageError(command, () => readFileSync(file === "-" ? 0 : file, "utf8"));
    await tell(async () => {
      const was = readOpenApi(file, text);
      const ask = shipped === true ? publishedDocument : learnedDocument;
      const now = new ComparedDocument(await ask(serviceId, callerOf(command)));
      const changes = compareDocuments({ was, now });
      console.log(json === true ? inJson(changes) : inText(changes));
      if (changes.length > 0) process.exitCode = differ;
    }, trouble);
  });
}

async function learnedDocument(serviceId: string, caller: Caller): Promise<JsonObject> {
  const { document } = await call(
    getService,
    create(GetServiceRequestSchema, { serviceId }),
    caller,
  );
  return isJsonObject(document) ? document : {};
}

async function publishedDocument(serviceId: string, caller: Caller): Promise<JsonObject> {
  const request = create(GetServiceDocumentRequestSchema, { serviceId });
  return documentIn(await call(getServiceDocument, request, caller));
}

function inJson(changes: readonly DocumentChange[]): string {
  return JSON.stringify({ data: changes, summary: countsOf(changes) }, undefined, 2);
}

function inText(changes: readonly DocumentChange[]): string {
  if (changes.length === 0) return "no differences";
  const rows = changes.map(({ change, operation, place, was, now }) => ({
    change,
    operation,
    place: place === "" ? null : place,
    file: was,
    traffic: now,
  }));
  const counts = Object.entries(countsOf(changes)).map(([kind, count]) => `${count} ${kind}`);
  return `${table(rows)}\n\n${counts.join(", ")}`;
}

function countsOf(changes: readonly DocumentChange[]): Record<DocumentChange["change"], number> {
  const count = (kind: string) => changes.filter(({ change }) => change === kind).length;
  return { new: count("new"), gone: count("gone"), changed: count("changed") };
}
