import { InvalidHarError } from "../har/capture-error.ts";
import {
  renderServiceOpenApi,
  type ServiceDocumentRenderOptions,
} from "../render/service-document.ts";
import { countLearnedTrafficEntries, findTrafficDayRange } from "../state/count-entries.ts";
import { decodeLearnedPathTree, encodeLearnedPathTree } from "../state/encode-node.ts";
import { mergeLearnedPathTrees } from "../state/join-nodes.ts";
import { learnPathTreeFromHar } from "../state/learn-capture.ts";

/** What takes too long for the thread that serves requests. Trees come and go encoded. */
export type ServiceDocumentWorkerTask =
  | { readonly kind: "learn"; readonly capture: Uint8Array }
  | {
      readonly kind: "merge";
      /** Undefined: nothing was learned before. */
      readonly known: Uint8Array | undefined;
      readonly learned: Uint8Array;
      readonly frame: ServiceDocumentRenderOptions;
    }
  | {
      readonly kind: "render";
      readonly known: Uint8Array;
      readonly frame: ServiceDocumentRenderOptions;
    };

/** What is known of a service once a part was merged. */
export interface MergedServiceState {
  readonly state: Uint8Array;
  readonly templates: number;
  readonly observations: number;
  /** `2026-11-20`; undefined: no entry said when. */
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
}

/** What a task gives, by its kind. */
export type ServiceDocumentTaskResult =
  | { readonly kind: "learn"; readonly learned: Uint8Array }
  | ({ readonly kind: "merge" } & MergedServiceState)
  | { readonly kind: "render"; readonly text: string; readonly templates: number }
  /** The caller's fault. */
  | { readonly kind: "fault"; readonly param: string; readonly message: string };

/** Bytes of an encoded tree: a hundred times what a large interface takes. */
const maxStateBytes = 16 * 1024 * 1024;

/** Does a task. A capture that is none gives a fault; any other error is one of ours. */
export function runServiceDocumentWorkerTask(
  task: ServiceDocumentWorkerTask,
): ServiceDocumentTaskResult {
  try {
    return runTask(task);
  } catch (error) {
    if (!(error instanceof InvalidHarError)) throw error;
    return { kind: "fault", param: error.param, message: error.message };
  }
}

function runTask(task: ServiceDocumentWorkerTask): ServiceDocumentTaskResult {
  switch (task.kind) {
    case "learn":
      return { kind: "learn", learned: encodeLearnedPathTree(learnPathTreeFromHar(task.capture)) };
    case "merge":
      return { kind: "merge", ...merge(task) };
    case "render":
      return {
        kind: "render",
        ...renderServiceOpenApi(decodeLearnedPathTree(task.known), task.frame),
      };
  }
}

function merge({
  known,
  learned,
  frame,
}: Extract<ServiceDocumentWorkerTask, { kind: "merge" }>): MergedServiceState {
  const added = decodeLearnedPathTree(learned);
  const node =
    known === undefined ? added : mergeLearnedPathTrees(decodeLearnedPathTree(known), added);
  const state = encodeLearnedPathTree(node);
  if (state.length > maxStateBytes) throw tooMuchError();
  const { templates } = renderServiceOpenApi(node, frame);
  return {
    state,
    templates,
    observations: countLearnedTrafficEntries(node),
    ...findTrafficDayRange(node),
  };
}

function tooMuchError(): InvalidHarError {
  return new InvalidHarError(
    "log",
    "With this capture more would be kept of the service than one service may take; leave out the traffic of other hosts.",
  );
}
