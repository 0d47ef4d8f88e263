import { basename } from "node:path";
import type { Command } from "commander";
import { DocumentService } from "../../../gen/ts/causeway/document/v1/document_pb.ts";
import { CliError } from "../cli-error.ts";
import { resolveCliProfileContext } from "../cli-context.ts";
import { sanitizeTerminalLine } from "../format-cell.ts";
import { readProtoCommentSummary } from "../../contract/comments.ts";
import { parseOrThrowUsageError } from "../parse-or-usage-error.ts";
import { openRegularFile } from "../regular-file.ts";
import { runAndReportCliError } from "../run-command.ts";
import {
  InvalidHarFileError,
  HarEntryReader,
  formatHarEntryPath,
  type RawHarEntry,
} from "./har-reader.ts";
import {
  startHarLearningProgressDisplay,
  type HarLearningProgressDisplay,
} from "./learn-progress.ts";
import { createHarPoster } from "./post-traffic.ts";
import { readFileChunks } from "./read-chunks.ts";
import { formatLearnedService } from "./service-rows.ts";
import { maxHarUploadBatchEntryBytes, batchHarEntries } from "./traffic-part.ts";
import { HarUploader } from "./traffic-sender.ts";
import { stripUnusedHarBodies } from "./strip-ignored-bodies.ts";
import { formatTerminalSafeJson, writeToStderr, writeToStdout } from "../output.ts";

const moreHelp = `
The file may be of any size: it is read as a stream and sent in parts. An equal entry counts
once, so that a file may be given again. Bodies over a mebibyte that are neither JSON nor a
form are not sent.
Example:
  causeway services learn crm capture.har
Exit codes: 0, all of it was learned from; 1, not all, or the server refused or cannot be
reached; 2, the command line was not understood.`;

/** A capture that is being read. */
interface Capture {
  readonly name: string;
  /** Undefined: it is piped in. */
  readonly size: number | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Adds `services learn`, which takes a HAR file of any size. */
export function addServicesLearnCommand(services: Command): void {
  const { parent, name } = DocumentService.method.learnService;
  const command = services.command("learn");
  command
    .description(readProtoCommentSummary(`${parent.typeName}.${name}`))
    .argument("<service-id>", "Id of the service")
    .argument("<file>", "the HAR file; - reads it from standard input")
    .option("--json", "print what is known of the service as JSON")
    .addHelpText("after", moreHelp);
  command.action(async (serviceId: string, file: string) => {
    const capture = parseOrThrowUsageError(command, () => openCapture(file));
    await runAndReportCliError(async () => {
      const sender = new HarUploader(createHarPoster(serviceId, resolveCliProfileContext(command)));
      const progress = startHarLearningProgressDisplay(capture.name, capture.size);
      await learn(capture, sender, progress).finally(() => progress.done());
      const { json } = command.opts<{ json?: boolean }>();
      writeToStdout(
        json === true
          ? formatTerminalSafeJson(sender.service)
          : formatLearnedService(sender.service),
      );
      reportSkipped(sender);
    });
  });
}

function openCapture(file: string): Capture {
  if (file === "-") return { name: "standard input", size: undefined, chunks: process.stdin };
  const { descriptor, size } = openRegularFile(file);
  return { name: sanitizeTerminalLine(basename(file)), size, chunks: readFileChunks(descriptor) };
}

/** Rejects with a `CliError` that also says what was learned before. */
async function learn(
  { name, chunks }: Capture,
  sender: HarUploader,
  progress: HarLearningProgressDisplay,
): Promise<void> {
  let bytes = 0;
  const seen = countBytes(chunks, (count) => (bytes += count));
  try {
    for await (const part of batchHarEntries(entriesOf(seen))) {
      await sender.send(part);
      progress.show(bytes, sender.entries);
    }
  } catch (error) {
    if (error instanceof InvalidHarFileError) throw withLearned(`${name} ${error.message}`, sender);
    if (error instanceof CliError) throw withLearned(error.message, sender);
    throw error;
  }
}

async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

async function* entriesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawHarEntry> {
  const reader = new HarEntryReader();
  for await (const chunk of chunks) {
    for (const { index, bytes } of reader.entries(chunk)) {
      yield {
        index,
        bytes: bytes.length > maxHarUploadBatchEntryBytes ? stripUnusedHarBodies(bytes) : bytes,
      };
    }
  }
  reader.end();
}

function withLearned(message: string, { parts, entries }: HarUploader): CliError {
  if (parts === 0) return new CliError(`${message}\nNothing was learned from it.`);
  const counts = `${countOf(entries, "entry", "entries")} before it, in ${countOf(parts, "part", "parts")}`;
  const learned = `${counts}, ${entries === 1 ? "was" : "were"} learned from.`;
  return new CliError(`${message}\n${learned} An equal entry counts once: give the file again.`);
}

function reportSkipped({ tooLarge }: HarUploader): void {
  if (tooLarge.length === 0) return;
  process.exitCode = 1;
  const [first = 0] = tooLarge;
  const which = tooLarge.length === 1 ? "" : ` and ${tooLarge.length - 1} more`;
  writeToStderr(
    `left out: ${formatHarEntryPath(first)}${which}, larger than limits.max_body_mib lets the server take`,
  );
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
