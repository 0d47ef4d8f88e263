import type { FakeSources, SourceRequest } from "./fake-sources.ts";

/** An advisory as OSV has it; only what tests need. */
export interface FakeAdvisory {
  readonly id: string;
  readonly modified?: string;
  readonly aliases?: readonly string[];
  readonly summary?: string;
  readonly details?: string;
  readonly withdrawn?: string;
  readonly severity?: string;
  readonly vector?: string;
  readonly fixed?: string;
  /** Named one by one, without a range. */
  readonly versions?: readonly string[];
  /** Entries of the package, in place of the one that the other members make. */
  readonly affected?: readonly object[];
  readonly informational?: string;
}

interface Query {
  readonly package: { readonly name: string; readonly ecosystem: string };
  readonly version: string;
  readonly page_token?: string;
}

const modified = "2026-01-01T00:00:00Z";

/** OSV: for `ecosystem/name@version` the advisories that hit it; none for anything else. */
export function serveOsv(
  fake: FakeSources,
  hits: Readonly<Record<string, readonly FakeAdvisory[]>>,
): void {
  fake.serve("/osv/v1/querybatch", {
    answer: ({ body }, response) => {
      const { queries } = body as { queries: readonly Query[] };
      const results = queries.map(({ package: named, version }) => {
        const found = hits[`${named.ecosystem}/${named.name}@${version}`] ?? [];
        if (found.length === 0) return {};
        return { vulns: found.map((it) => ({ id: it.id, modified: it.modified ?? modified })) };
      });
      response.writeHead(200).end(JSON.stringify({ results }));
    },
  });
  for (const [key, advisories] of Object.entries(hits)) {
    const [, ecosystem = "", name = ""] = /^([^/]+)\/(.+)@[^@]*$/.exec(key) ?? [];
    for (const advisory of advisories) {
      fake.serve(`/osv/v1/vulns/${advisory.id}`, { json: osvDocument(advisory, ecosystem, name) });
    }
  }
}

function osvDocument(advisory: FakeAdvisory, ecosystem: string, name: string) {
  const { id, aliases = [], summary, details = "", withdrawn, severity, vector } = advisory;
  const { fixed, versions, informational } = advisory;
  const events = [{ introduced: "0" }, ...(fixed === undefined ? [] : [{ fixed }])];
  const ranges = [{ type: "SEMVER", events }];
  return {
    id,
    modified: advisory.modified ?? modified,
    aliases,
    summary,
    details,
    withdrawn,
    ...(vector !== undefined && { severity: [{ type: "CVSS_V3", score: vector }] }),
    database_specific: severity === undefined ? {} : { severity },
    affected: (advisory.affected ?? [versions === undefined ? { ranges } : { versions }]).map(
      (entry) => ({
        package: { ecosystem, name },
        ...entry,
        ...(informational !== undefined && { database_specific: { informational } }),
      }),
    ),
  };
}

/** What a repository's host says. */
export interface FakeRepository {
  readonly archived?: boolean;
  readonly pushedAt?: string;
  /** Where it is now, if it was renamed. */
  readonly now?: string;
}

/** GitHub's REST interface, and its GraphQL one for a bearer of `token`. */
export function serveGithub(
  fake: FakeSources,
  repositories: Readonly<Record<string, FakeRepository>>,
): void {
  for (const [place, repository] of Object.entries(repositories)) {
    const { archived = false, pushedAt, now } = repository;
    const json = { full_name: now ?? place, archived, pushed_at: pushedAt };
    if (now === undefined) fake.serve(`/github/repos/${place}`, { json });
    else {
      fake.serve(`/github/repos/${place}`, {
        answer: (_, response) =>
          response.writeHead(301, { location: `${fake.origin}/github/repositories/1` }).end("{}"),
      });
      fake.serve("/github/repositories/1", { json });
    }
  }
  fake.serve("/github/graphql", {
    answer: (request, response) => {
      const { data, errors } = graphqlAnswer(request, repositories);
      response.writeHead(200).end(JSON.stringify({ data, ...(errors.length > 0 && { errors }) }));
    },
  });
}

function graphqlAnswer(
  { body }: SourceRequest,
  repositories: Readonly<Record<string, FakeRepository>>,
) {
  const { query } = body as { query: string };
  const data: Record<string, unknown> = {};
  const errors: unknown[] = [];
  const asked = query.matchAll(/(\w+): repository\(owner: "([^"]+)", name: "([^"]+)"\)/g);
  for (const [, alias = "", owner, name] of asked) {
    const place = `${owner}/${name}`;
    const found = repositories[place];
    data[alias] = found === undefined ? null : graphqlRepository(place, found);
    if (found === undefined) errors.push({ type: "NOT_FOUND", path: [alias] });
  }
  return { data, errors };
}

function graphqlRepository(place: string, { archived = false, pushedAt, now }: FakeRepository) {
  return {
    nameWithOwner: now ?? place,
    isArchived: archived,
    pushedAt: "2026-11-20T00:00:00Z",
    defaultBranchRef: { target: { committedDate: pushedAt } },
  };
}

/** ecosyste.ms: what it knows, by package URL. */
export function serveEcosystems(
  fake: FakeSources,
  packages: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): void {
  fake.serve("/ecosystems/api/v1/packages/bulk_lookup", {
    answer: ({ body }, response) => {
      const { purls } = body as { purls: readonly string[] };
      const found = purls.flatMap((purl) => {
        const known = packages[purl];
        return known === undefined ? [] : [{ purl: purl.replaceAll("%40", "@"), ...known }];
      });
      response.writeHead(200).end(JSON.stringify(found));
    },
  });
}
