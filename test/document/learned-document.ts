import { mergeLearnedPathTrees } from "../../src/document/state/join-nodes.ts";
import {
  decodeLearnedPathTree,
  encodeLearnedPathTree,
} from "../../src/document/state/encode-node.ts";
import { learnPathTreeFromHar } from "../../src/document/state/learn-capture.ts";
import { emptyLearnedPathNode, type LearnedPathNode } from "../../src/document/state/path-node.ts";
import { renderServiceOpenApi } from "../../src/document/render/service-document.ts";
import { harBytes, type Exchange } from "./har.ts";

/** A document as far as tests look into it. */
export interface LearnedDocument {
  readonly servers?: readonly { readonly url: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly paths: Readonly<Record<string, any>>;
  readonly "x-path-templates": readonly string[];
  readonly "x-svc-replay": {
    readonly version: number;
    readonly header_rules: readonly {
      name: string;
      in: string;
      required: boolean;
      source: string;
    }[];
    readonly idempotent_methods: readonly string[];
    readonly provenance: {
      readonly captures: number;
      readonly observations: number;
      readonly first_seen: string | null;
      readonly last_seen: string | null;
      readonly truncated: number;
    };
  };
}

/** What captures teach, learned one after the other as the server does, stored in between. */
export function learnAll(captures: readonly Uint8Array[]): LearnedPathNode {
  return captures.reduce<LearnedPathNode>(
    (node, capture) =>
      decodeLearnedPathTree(
        encodeLearnedPathTree(mergeLearnedPathTrees(node, learnPathTreeFromHar(capture))),
      ),
    emptyLearnedPathNode,
  );
}

/** The text of the document of a tree. */
export function documentText(node: LearnedPathNode, baseUrl?: string): string {
  return renderServiceOpenApi(node, { title: "Service", baseUrl, captures: 1 }).text;
}

/** The document of exchanges that come in one capture. */
export function documentOf(exchanges: readonly Exchange[], baseUrl?: string): LearnedDocument {
  const node = learnAll([harBytes(exchanges)]);
  return JSON.parse(documentText(node, baseUrl)) as LearnedDocument;
}

/** Whether an address matches a template, segment by segment. */
export function matchesTemplate(path: string, template: string): boolean {
  const [segments, parts] = [path.split("/"), template.split("/")];
  return (
    segments.length === parts.length &&
    parts.every((part, index) => part.startsWith("{") || part === segments[index])
  );
}
