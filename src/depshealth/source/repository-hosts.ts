import { truncateToOneLine } from "../fetch/source-text.ts";
import { DataSourceDocumentError } from "../fetch/document-error.ts";
import {
  asBoolean,
  asJsonObjectOrEmpty,
  asJsonObjectElements,
  isoDateToEpochMilliseconds,
} from "../../platform/json-value.ts";
import { wholeMembersProjection } from "../../platform/json-stream/json-shape.ts";
import type { DataSourceDocumentLoadResult, DataSourceResult } from "../fetch/outcome.ts";
import { createJsonDocumentParser } from "../fetch/read-document.ts";
import { joinUrlPathSegments, type DataSourceClient } from "../fetch/source-client.ts";
import type { RepositoryAddress } from "./repository-address.ts";

/** What a host says of a repository. */
export interface HostedRepositoryState {
  /** `owner/name` as it is now, which a renamed repository's old address leads to. */
  readonly fullName: string | null;
  readonly archived: boolean | null;
  readonly lastPushAt: number | null;
}

/** Asks the host of repositories. */
export interface RepositoryHostClient {
  readonly client: DataSourceClient;
  /** Whether one request answers for many. */
  readonly supportsBatch: boolean;
  /** One outcome for each, in their order. */
  ask(
    addresses: readonly RepositoryAddress[],
  ): readonly Promise<DataSourceResult<HostedRepositoryState>>[];
}

/** GitHub without a token: a request for each, of which few are given in an hour. */
export function createGithubRestRepositoryHost(client: DataSourceClient): RepositoryHostClient {
  const read = createJsonDocumentParser(
    wholeMembersProjection("full_name", "archived", "disabled", "pushed_at"),
    (picked) => {
      const repository = asJsonObjectOrEmpty(picked);
      const archived = asBoolean(repository["archived"]);
      return stateOf(repository["full_name"], archived, repository["pushed_at"]);
    },
  );
  return restHost(client, "github.rest.2", read, ({ owner, name }) =>
    joinUrlPathSegments("repos", owner ?? "", name ?? ""),
  );
}

/** Codeberg, and others that run Forgejo or Gitea. `updated_at` moves on other things too. */
export function createForgejoRepositoryHost(client: DataSourceClient): RepositoryHostClient {
  const read = createJsonDocumentParser(
    wholeMembersProjection("full_name", "archived", "updated_at"),
    (picked) => {
      const repository = asJsonObjectOrEmpty(picked);
      return stateOf(
        repository["full_name"],
        asBoolean(repository["archived"]),
        repository["updated_at"],
      );
    },
  );
  return restHost(
    client,
    "forgejo.2",
    read,
    ({ owner, name }) => `/api/v1${joinUrlPathSegments("repos", owner ?? "", name ?? "")}`,
  );
}

/** GitLab. `last_activity_at` moves on issues too. */
export function createGitlabRepositoryHost(client: DataSourceClient): RepositoryHostClient {
  const shape = wholeMembersProjection("path_with_namespace", "archived", "last_activity_at");
  const read = createJsonDocumentParser(shape, (picked) => {
    const project = asJsonObjectOrEmpty(picked);
    const archived = asBoolean(project["archived"]);
    return stateOf(project["path_with_namespace"], archived, project["last_activity_at"]);
  });
  return restHost(
    client,
    "gitlab.2",
    read,
    ({ owner, name }) => `/api/v4${joinUrlPathSegments("projects", `${owner}/${name}`)}`,
  );
}

/** GitHub with a token: one request for all. */
export function createGithubGraphqlRepositoryHost(client: DataSourceClient): RepositoryHostClient {
  return {
    client,
    supportsBatch: true,
    ask: (addresses) =>
      client.getMany<RepositoryAddress, HostedRepositoryState>({
        items: addresses,
        keyOf: ({ owner, name }) => `${owner}/${name}`.toLowerCase(),
        result: "github.graphql.2",
        batchSize: 50,
        request: (items) => ({
          path: "/graphql",
          body: { query: queryOf(items) },
          read: createJsonDocumentParser(
            { members: { data: "whole", errors: "whole" } },
            (picked) => items.map((_, index) => resultOf(asJsonObjectOrEmpty(picked), index)),
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
): DataSourceDocumentLoadResult<HostedRepositoryState> {
  const repository = asJsonObjectOrEmpty(answer["data"])[`r${index}`];
  if (typeof repository === "object" && repository !== null) {
    return { kind: "document", document: graphqlState(asJsonObjectOrEmpty(repository)) };
  }
  return repository === null && !isRefused(answer["errors"], `r${index}`)
    ? { kind: "missing" }
    : { kind: "failed", message: "refused the question" };
}

function isRefused(errors: unknown, field: string): boolean {
  return asJsonObjectElements(errors).some(({ type, path }) => {
    const isMeant = !Array.isArray(path) || path[0] === field;
    return isMeant && type !== "NOT_FOUND";
  });
}

function graphqlState(repository: Readonly<Record<string, unknown>>): HostedRepositoryState {
  const target = asJsonObjectOrEmpty(asJsonObjectOrEmpty(repository["defaultBranchRef"])["target"]);
  // Pushes to the branches of pull requests count as pushes; a commit on the default branch is work.
  const pushed = target["committedDate"] ?? repository["pushedAt"];
  return stateOf(repository["nameWithOwner"], asBoolean(repository["isArchived"]), pushed);
}

function restHost(
  client: DataSourceClient,
  reading: string,
  read: ReturnType<typeof createJsonDocumentParser<HostedRepositoryState>>,
  path: (address: RepositoryAddress) => string,
): RepositoryHostClient {
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
): HostedRepositoryState {
  const name = truncateToOneLine(fullName) ?? null;
  if (name === null && archived === undefined) throw new DataSourceDocumentError("unreadable");
  return {
    fullName: name,
    archived: archived ?? null,
    lastPushAt: isoDateToEpochMilliseconds(pushed) ?? null,
  };
}
