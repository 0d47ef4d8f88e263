import { readFileSync } from "node:fs";

const file = new URL("../../gen/comments.json", import.meta.url);

let comments: Readonly<Record<string, string>> | undefined;

/**
 * The first sentence of the comment that the contract gives to a service,
 * method, message or field, by full name; empty where there is none.
 */
export function summaryOf(name: string): string {
  comments ??= JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, string>>;
  return (comments[name] ?? "").replace(/\.(?: [A-Z`].*)?$/s, "");
}
