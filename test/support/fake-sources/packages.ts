import { gzipSync } from "node:zlib";
import type { Ecosystem } from "../../../src/depshealth/facts.ts";
import type { FakeSources } from "./fake-sources.ts";

/** A version of a package that a fake registry serves. */
export interface FakeVersion {
  readonly version: string;
  /** ISO 8601; undefined: the registry gives no date. */
  readonly at?: string;
  /** The registry's mark, as it writes it. */
  readonly deprecated?: unknown;
  /** Yanked, retracted or unlisted, with the publisher's reason if it is a text. */
  readonly yanked?: string | true;
  /** Its files were deleted (PyPI). */
  readonly isEmptied?: true;
  /** The licence, as the registry writes it. */
  readonly license?: unknown;
  /** What npm runs, by its name. */
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A package that a fake registry serves. */
export interface FakePackage {
  readonly name: string;
  readonly versions: readonly FakeVersion[];
  readonly repository?: unknown;
  readonly maintainers?: number;
  readonly dependents?: number;
  /** Further members of the main document. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** npm: the whole document and the abbreviated one, as the `accept` header asks. */
export function serveNpm(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, maintainers = 1, extra } = given;
  const listed = versions.map(({ version, deprecated, license, scripts }) => [
    version,
    { name, version, license, scripts, ...(deprecated !== undefined && { deprecated }) },
  ]);
  const dated = versions.flatMap(({ version, at }) => (at === undefined ? [] : [[version, at]]));
  const document = {
    name,
    "dist-tags": { latest: versions[0]?.version },
    versions: Object.fromEntries(listed),
    time: {
      created: "2010-01-01T00:00:00.000Z",
      modified: "2026-01-01T00:00:00.000Z",
      ...Object.fromEntries(dated),
    },
    maintainers: people(maintainers).map((person) => ({ name: person })),
    ...(repository !== undefined && { repository }),
    ...extra,
  };
  const headers = { etag: `"${name}"` };
  fake.serve(`/npm/${encodeURIComponent(name)}`, {
    answer: (request, response) => {
      if (request.headers["if-none-match"] === headers.etag) return response.writeHead(304).end();
      return response.writeHead(200, headers).end(JSON.stringify(document));
    },
  });
}

/** PyPI: the project and the simple index; `name` in its normal form. */
export function servePypi(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, maintainers = 1, extra } = given;
  const releases = versions.map(({ version, at, yanked, isEmptied }) => [
    version,
    [
      {
        filename: `${name}-${version}.tar.gz`,
        upload_time_iso_8601: at,
        yanked: yanked !== undefined,
        yanked_reason: typeof yanked === "string" ? yanked : null,
      },
    ].filter(() => isEmptied === undefined),
  ]);
  fake.serve(`/pypi/pypi/${name}/json`, {
    json: {
      info: {
        name,
        version: versions[0]?.version,
        classifiers: [],
        project_urls: repository === undefined ? null : { Source: repository },
        ...(extra?.["info"] as object | undefined),
      },
      releases: Object.fromEntries(releases),
      ownership: {
        roles: people(maintainers).map((user) => ({ role: "Owner", user })),
        organization: null,
      },
    },
  });
  fake.serve(`/pypi/simple/${name}/`, {
    json: {
      meta: { "api-version": "1.4" },
      name,
      versions: versions.map(({ version }) => version),
      files: versions
        .filter(({ isEmptied }) => isEmptied === undefined)
        .map(({ version, at, yanked = false }) => ({
          filename: `${name}-${version}.tar.gz`,
          "upload-time": at,
          yanked,
        })),
      ...(extra?.["status"] !== undefined && { "project-status": extra["status"] }),
    },
  });
}

/** The registry of crates: its index and its interface. */
export function serveCargo(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, maintainers = 1, dependents = 0 } = given;
  const lines = versions
    .toReversed()
    .map(({ version, yanked }) =>
      JSON.stringify({ name, vers: version, deps: [], yanked: yanked !== undefined }),
    );
  fake.serve(`/cargo/index/${indexPath(name.toLowerCase())}`, { text: `${lines.join("\n")}\n` });
  const crate = `/cargo/api/v1/crates/${name}`;
  fake.serve(crate, {
    json: {
      crate: { id: name, name, repository: repository ?? null, homepage: null },
      versions: versions.map(({ version, at, yanked, license }) => ({
        num: version,
        created_at: at,
        yanked: yanked !== undefined,
        yank_message: typeof yanked === "string" ? yanked : null,
        license,
      })),
    },
  });
  fake.serve(`${crate}/owner_user`, { json: { users: people(maintainers).map((id) => ({ id })) } });
  fake.serve(`${crate}/owner_team`, { json: { teams: [] } });
  fake.serve(`${crate}/reverse_dependencies`, {
    json: { dependencies: [], versions: [], meta: { total: dependents } },
  });
}

/** RubyGems; a yanked version is not in its lists. */
export function serveRubygems(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, maintainers = 1, dependents = 0 } = given;
  const live = versions.filter(({ yanked }) => yanked === undefined);
  const api = "/rubygems/api/v1";
  fake.serve(`${api}/gems/${name}.json`, {
    json: {
      name,
      version: live[0]?.version,
      version_created_at: live[0]?.at,
      source_code_uri: repository ?? null,
      homepage_uri: null,
    },
  });
  fake.serve(`${api}/versions/${name}.json`, {
    json: live.map(({ version, at, license }) => ({
      licenses: license,
      number: version,
      created_at: at,
      platform: "ruby",
      prerelease: /[a-z]/.test(version),
    })),
  });
  fake.serve(`${api}/gems/${name}/owners.json`, {
    json: people(maintainers).map((id) => ({ id })),
  });
  fake.serve(`${api}/gems/${name}/reverse_dependencies.json`, {
    json: Array.from({ length: dependents }, (_, index) => `gem-${index}`),
  });
}

/** The site of Go packages; `extra.deprecated` is the module's mark. */
export function serveGoSite(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, dependents = 0, extra } = given;
  const deprecated = extra?.["deprecated"];
  const mark = { deprecated: deprecated !== undefined, deprecationReason: deprecated };
  fake.serve(`/go/v1beta/module/${name}`, {
    json: {
      path: name,
      version: versions[0]?.version,
      commitTime: versions[0]?.at,
      isLatest: true,
      repoUrl: repository,
      ...mark,
    },
  });
  fake.serve(`/go/v1beta/versions/${name}`, {
    json: {
      items: versions.map(({ version, at, yanked }) => ({
        modulePath: name,
        version,
        commitTime: at,
        ...mark,
        retracted: yanked !== undefined,
        retractionRationale: typeof yanked === "string" ? yanked : undefined,
      })),
      total: versions.length,
    },
  });
  fake.serve(`/go/v1beta/imported-by/${name}`, {
    json: { modulePath: name, importedBy: { items: [], total: dependents } },
  });
}

/** Go's module proxy; `name` with its upper-case letters escaped. */
export function serveGoProxy(fake: FakeSources, given: FakePackage, goMod: string): void {
  const { name, versions } = given;
  const [latest] = versions;
  fake.serve(`/go/${name}/@v/list`, { text: versions.map(({ version }) => version).join("\n") });
  fake.serve(`/go/${name}/@latest`, { json: { Version: latest?.version, Time: latest?.at } });
  fake.serve(`/go/${name}/@v/${latest?.version}.mod`, { text: goMod });
}

/** Maven: the list of versions and the latest project description. `extra.pom` is put into it. */
export function serveMaven(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, extra } = given;
  const [group = "", artifact = ""] = name.split(":");
  const folder = `/maven/${group.replaceAll(".", "/")}/${artifact}`;
  const [latest] = versions;
  const listed = versions.map(({ version }) => `<version>${version}</version>`).join("");
  fake.serve(`${folder}/maven-metadata.xml`, {
    text: `<?xml version="1.0"?><metadata><groupId>${group}</groupId><versioning><latest>${latest?.version}</latest><release>${latest?.version}</release><versions>${listed}</versions></versioning></metadata>`,
  });
  const scm = typeof repository === "string" ? `<scm><url>${repository}</url></scm>` : "";
  const pom = typeof extra?.["pom"] === "string" ? extra["pom"] : "";
  fake.serve(`${folder}/${latest?.version}/${artifact}-${latest?.version}.pom`, {
    text: `<?xml version="1.0"?><project xmlns="urn:example:pom"><artifactId>${artifact}</artifactId>${scm}${pom}</project>`,
    headers: latest?.at === undefined ? {} : { "last-modified": new Date(latest.at).toUTCString() },
  });
}

/** NuGet: service index, and the registration in gzip with all versions in one page. */
export function serveNuget(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, maintainers = 1 } = given;
  const base = `${fake.origin}/nuget/v3`;
  const id = name.toLowerCase();
  fake.serve("/nuget/v3/index.json", {
    json: {
      version: "3.0.0",
      resources: [
        { "@id": `${base}/plain/`, "@type": "RegistrationsBaseUrl" },
        { "@id": `${base}/registration/`, "@type": "RegistrationsBaseUrl/3.6.0" },
        { "@id": `${base}/query`, "@type": "SearchQueryService" },
        { "@id": `${base}/content/`, "@type": "PackageBaseAddress/3.0.0" },
      ],
    },
  });
  const leaves = versions.toReversed().map(({ version, at, deprecated, yanked, license }) => ({
    catalogEntry: {
      id: name,
      version,
      listed: yanked === undefined,
      published: yanked === undefined ? at : "1900-01-01T00:00:00+00:00",
      projectUrl: repository ?? "",
      licenseExpression: license,
      ...(deprecated !== undefined && { deprecation: deprecated }),
    },
  }));
  const page = {
    "@id": `${base}/registration/${id}/page/0.json`,
    count: leaves.length,
    items: leaves,
  };
  fake.serve(`/nuget/v3/registration/${id}/index.json`, {
    text: gzipSync(JSON.stringify({ count: 1, items: [page] })),
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  });
  fake.serve("/nuget/v3/query", {
    json: { data: [{ id: name, owners: people(maintainers) }] },
  });
}

/** Packagist: the files in their minified form, and the page. `extra.abandoned` is the mark. */
export function servePackagist(fake: FakeSources, given: FakePackage): void {
  const { name, versions, repository, maintainers = 1, dependents = 0, extra } = given;
  const abandoned = extra?.["abandoned"];
  const source = { type: "git", url: repository };
  const [first, ...rest] = versions.map(({ version, at, license }) => ({
    version,
    time: at,
    license,
  }));
  const diffs = [
    { name, ...first, source, ...(abandoned !== undefined && { abandoned }) },
    ...rest,
  ];
  fake.serve(`/packagist/p2/${name}.json`, {
    json: { minified: "composer/2.0", packages: { [name]: diffs } },
  });
  fake.serve(`/packagist/packages/${name}.json`, {
    json: {
      package: {
        name,
        repository,
        maintainers: people(maintainers).map((person) => ({ name: person })),
        dependents,
        versions: {},
        ...(abandoned !== undefined && { abandoned }),
      },
    },
  });
}

/** A package of which no more is asked than whether it is there: what another names as its replacement. */
export function serveSuccessor(fake: FakeSources, ecosystem: Ecosystem, name: string): void {
  const serve = {
    npm: serveNpm,
    pypi: servePypi,
    cargo: serveCargo,
    rubygems: serveRubygems,
    go: serveGoSite,
    maven: serveMaven,
    nuget: serveNuget,
    packagist: servePackagist,
  }[ecosystem];
  const version = ecosystem === "go" ? "v1.0.0" : "1.0.0";
  serve(fake, { name, versions: [{ version, at: "2026-01-01T00:00:00Z" }] });
}

function people(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `person-${index}`);
}

function indexPath(name: string): string {
  if (name.length <= 2) return `${name.length}/${name}`;
  if (name.length === 3) return `3/${name[0]}/${name}`;
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}
