import { asSourceText } from "../fetch/source-text.ts";
import { DocumentError } from "../fetch/document-error.ts";
import { asFlag, asRecord, asRecords, asTime } from "../../platform/json-value.ts";
import { allMembers } from "../../platform/json-stream/json-shape.ts";
import type { LoadResult, FetchOutcome } from "../fetch/outcome.ts";
import { jsonReader } from "../fetch/read-document.ts";
import { joinPath, type SourceClient } from "../fetch/source-client.ts";
import type { RepositoryAddress } from "./repository-address.ts";

/** What a host says of a repository. */
export interface RepositoryState {
  /** `owner/name` as it is now, which a renamed repository's old address leads to. */
  readonly fullName: string | null;
  readonly archived: boolean | null;
  readonly lastPushAt: number | null;
}

/** Asks the host of repositories. */
export interface RepositoryHost {
  readonly client: SourceClient;
  /** Whether one request answers for many. */
  readonly supportsBatch: boolean;
  /** One outcome for each, in their order. */
  ask(addresses: readonly RepositoryAddress[]): readonly Promise<FetchOutcome<RepositoryState>>[];
}

/** GitHub without a token: a request for each, of which few are given in an hour. */
export function githubRest(client: SourceClient): RepositoryHost {
  const read = jsonReader(
    allMembers("full_name", "archived", "disabled", "pushed_at"),
    (picked) => {
      const repository = asRecord(picked);
      const archived = asFlag(repository["archived"]);
      return stateOf(repository["full_name"], archived, repository["pushed_at"]);
    },
  );
  return restHost(client, "github.rest.2", read, ({ owner, name }) =>
    joinPath("repos", owner ?? "", name ?? ""),
  );
}

/** Codeberg, and others that run Forgejo or Gitea. `updated_at` moves on other things too. */
export function forgejo(client: SourceClient): RepositoryHost {
  const read = jsonReader(allMembers("full_name", "archived", "updated_at"), (picked) => {
    const repository = asRecord(picked);
    return stateOf(
      repository["full_name"],
      asFlag(repository["archived"]),
      repository["updated_at"],
    );
  });
  return restHost(
    client,
    "forgejo.2",
    read,
    ({ owner, name }) => `/api/v1${joinPath("repos", owner ?? "", name ?? "")}`,
  );
}

/** GitLab. `last_activity_at` moves on issues too. */
export function gitlab(client: SourceClient): RepositoryHost {
  const shape = allMembers("path_with_namespace", "archived", "last_activity_at");
  const read = jsonReader(shape, (picked) => {
    const project = asRecord(picked);
    const archived = asFlag(project["archived"]);
    return stateOf(project["path_with_namespace"], archived, project["last_activity_at"]);
  });
  return restHost(
    client,
    "gitlab.2",
    read,
    ({ owner, name }) => `/api/v4${joinPath("projects", `${owner}/${name}`)}`,
  );
}

/** GitHub with a token: one request for all. */
export function githubGraphql(client: SourceClient): RepositoryHost {
  return {
    client,
    supportsBatch: true,
    ask: (addresses) =>
      client.getMany<RepositoryAddress, RepositoryState>({
        items: addresses,
        keyOf: ({ owner, name }) => `${owner}/${name}`.toLowerCase(),
        result: "github.graphql.2",
        batchSize: 50,
        request: (items) => ({
          path: "/graphql",
          body: { query: queryOf(items) },
          read: jsonReader({ members: { data: "whole", errors: "whole" } }, (picked) =>
            items.map((_, index) => resultOf(asRecord(picked), index)),
          ),
        }),
      }),
  };
}

/** Owners and names are checked where addresses are read: nothing in them ends a string. */
function queryOf(items: readonly RepositoryAddress[]): string {
  const fields = items.map(
    ({ owner, name }, index) =>
      `r${index}: repository(owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}) {
    nameWithOwner isArchived archivedAt pushedAt
    defaultBranchRef { target { ... on Commit { committedDate } } }
  }`,
  );
  return `query {\n  ${fields.join("\n  ")}\n}`;
}

/** Null is a repository that is not there, unless an error says something else. */
function resultOf(
  answer: Readonly<Record<string, unknown>>,
  index: number,
): LoadResult<RepositoryState> {
  const repository = asRecord(answer["data"])[`r${index}`];
  if (typeof repository === "object" && repository !== null) {
    return { kind: "document", document: graphqlState(asRecord(repository)) };
  }
  return repository === null && !isRefused(answer["errors"], `r${index}`)
    ? { kind: "missing" }
    : { kind: "failed", message: "refused the question" };
}

function isRefused(errors: unknown, field: string): boolean {
  return asRecords(errors).some(({ type, path }) => {
    const isMeant = !Array.isArray(path) || path[0] === field;
    return isMeant && type !== "NOT_FOUND";
  });
}

function graphqlState(repository: Readonly<Record<string, unknown>>): RepositoryState {
  const target = asRecord(asRecord(repository["defaultBranchRef"])["target"]);
  // Pushes to the branches of pull requests count as pushes; a commit on the default branch is work.
  const pushed = target["committedDate"] ?? repository["pushedAt"];
  return stateOf(repository["nameWithOwner"], asFlag(repository["isArchived"]), pushed);
}

function restHost(
  client: SourceClient,
  reading: string,
  read: ReturnType<typeof jsonReader<RepositoryState>>,
  path: (address: RepositoryAddress) => string,
): RepositoryHost {
  return {
    client,
    supportsBatch: false,
    ask: (addresses) =>
      addresses.map((address) => client.get({ path: path(address), result: reading, read })),
  };
}

function stateOf(
  fullName: unknown,
  archived: boolean | undefined,
  pushed: unknown,
): RepositoryState {
  const name = asSourceText(fullName) ?? null;
  if (name === null && archived === undefined) throw new DocumentError("unreadable");
  return { fullName: name, archived: archived ?? null, lastPushAt: asTime(pushed) ?? null };
}
