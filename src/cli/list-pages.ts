import type { JsonObject } from "@bufbuild/protobuf";
import { CliError } from "./cli-error.ts";

/** A server whose list has no end. */
export class EndlessServerListError extends CliError {}

/** No list of a server has more pages. */
const maxPages = 10_000;

/**
 * Asks for the pages of a list, one after the other. Throws an `EndlessServerListError` for a page that
 * was there before, an empty one that has more behind it, and for more than 10,000 pages.
 */
export async function* fetchServerListPages(
  ask: (after: { readonly afterId?: string }) => Promise<JsonObject>,
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let after: { readonly afterId?: string } = {}; ;) {
    const page = await ask(after);
    yield page;
    const { data, has_more: hasMore, last_id: afterId } = page;
    if (hasMore !== true || typeof afterId !== "string") return;
    if (seen.has(afterId)) throw endlessListError("it names the same page again");
    if (!Array.isArray(data) || data.length === 0) throw endlessListError("a page of it is empty");
    if (seen.size === maxPages - 1) {
      throw endlessListError(`it has more than ${maxPages.toString()} pages`);
    }
    seen.add(afterId);
    after = { afterId };
  }
}

function endlessListError(reason: string): EndlessServerListError {
  return new EndlessServerListError(
    `The server's list does not end: ${reason}.\nCheck what answers at the address of the server.`,
  );
}
