import { CaptureError } from "../har/capture-error.ts";
import { renderDocument, type DocumentRenderOptions } from "../render/service-document.ts";
import { countEntries, findEntryDayRange } from "../state/count-entries.ts";
import { decodePathNode, encodePathNode } from "../state/encode-node.ts";
import { joinPathNodes } from "../state/join-nodes.ts";
import { buildPathTreeFromCapture } from "../state/learn-capture.ts";

/** What takes too long for the thread that serves requests. Trees come and go encoded. */
export type DocumentTask =
  | { readonly kind: "learn"; readonly capture: Uint8Array }
  | {
      readonly kind: "merge";
      /** Undefined: nothing was learned before. */
      readonly known: Uint8Array | undefined;
      readonly learned: Uint8Array;
      readonly frame: DocumentRenderOptions;
    }
  | { readonly kind: "render"; readonly known: Uint8Array; readonly frame: DocumentRenderOptions };

/** What is known of a service once a part was merged. */
export interface MergedState {
  readonly state: Uint8Array;
  readonly templates: number;
  readonly observations: number;
  /** `2026-11-20`; undefined: no entry said when. */
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
}

/** What a task gives, by its kind. */
export type DocumentTaskResult =
  | { readonly kind: "learn"; readonly learned: Uint8Array }
  | ({ readonly kind: "merge" } & MergedState)
  | { readonly kind: "render"; readonly text: string; readonly templates: number }
  /** The caller's fault. */
  | { readonly kind: "fault"; readonly param: string; readonly message: string };

/** Bytes of an encoded tree: a hundred times what a large interface takes. */
const maxStateBytes = 16 * 1024 * 1024;

/** Does a task. A capture that is none gives a fault; any other error is one of ours. */
export function runDocumentTask(task: DocumentTask): DocumentTaskResult {
  try {
    return runTask(task);
  } catch (error) {
    if (!(error instanceof CaptureError)) throw error;
    return { kind: "fault", param: error.param, message: error.message };
  }
}

function runTask(task: DocumentTask): DocumentTaskResult {
  switch (task.kind) {
    case "learn":
      return { kind: "learn", learned: encodePathNode(buildPathTreeFromCapture(task.capture)) };
    case "merge":
      return { kind: "merge", ...merge(task) };
    case "render":
      return { kind: "render", ...renderDocument(decodePathNode(task.known), task.frame) };
  }
}

function merge({ known, learned, frame }: Extract<DocumentTask, { kind: "merge" }>): MergedState {
  const added = decodePathNode(learned);
  const node = known === undefined ? added : joinPathNodes(decodePathNode(known), added);
  const state = encodePathNode(node);
  if (state.length > maxStateBytes) throw tooMuchError();
  const { templates } = renderDocument(node, frame);
  return { state, templates, observations: countEntries(node), ...findEntryDayRange(node) };
}

function tooMuchError(): CaptureError {
  return new CaptureError(
    "log",
    "With this capture more would be kept of the service than one service may take; leave out the traffic of other hosts.",
  );
}
