import { readFileSync } from "node:fs";

const file = new URL("../../gen/comments.json", import.meta.url);

let comments: Readonly<Record<string, string>> | undefined;

/**
 * The comment of a service, method, message, field or enum in proto/, by full
 * name; undefined where there is none. Descriptors do not carry comments, so
 * `npm run gen` writes them beside the generated code.
 */
export function findProtoComment(name: string): string | undefined {
  comments ??= JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, string>>;
  return comments[name];
}

/** The first sentence of that comment, without its full stop; empty where there is none. */
export function readProtoCommentSummary(name: string): string {
  return extractFirstSentence(findProtoComment(name) ?? "");
}

/** The first sentence, without its full stop. */
export function extractFirstSentence(text: string): string {
  return text.replace(/\.(?: [A-Z`].*)?$/s, "");
}
