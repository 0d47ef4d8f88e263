import { resolveRegistryAddresses } from "../../../src/depshealth/ecosystem/registry-addresses.ts";
import type { FakeSources } from "../../support/fake-sources/fake-sources.ts";
import * as packages from "../../support/fake-sources/packages.ts";
import { serveGithub, serveOsv, type FakeAdvisory } from "../../support/fake-sources/sources.ts";
import { sampleDocument } from "../eol/sample.ts";

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

const repositoryOf = (place: string) => `https://github.com/${place}`;

/** Serves packages as their registries and hosts do, dates counted from today, for `expectedVerdicts`. */
export function serveLabelledPackages(fake: FakeSources): void {
  fake.serve("/endoflife/api/v1/products/full", { text: sampleDocument() });
  serveGithub(fake, {
    "request/request": { archived: true, pushedAt: daysAgo(800) },
    "zloirock/core-js": { pushedAt: daysAgo(3) },
    "moment/moment": { pushedAt: daysAgo(200) },
    "JedWatson/classnames": { pushedAt: daysAgo(60) },
    "lodash/lodash-finished": { pushedAt: daysAgo(1200) },
    "yaml/pyyaml": { pushedAt: daysAgo(40) },
    "briansmith/ring": { pushedAt: daysAgo(20) },
    "rails/journey": { archived: true, pushedAt: daysAgo(4000) },
    "golang/protobuf": { pushedAt: daysAgo(100) },
    "gorilla/mux": { pushedAt: daysAgo(700) },
    "davecgh/go-spew": { pushedAt: daysAgo(2500) },
    "angular/protractor": { archived: true, pushedAt: daysAgo(1100) },
    "xunit/xunit": { pushedAt: daysAgo(5) },
    "babel/babel": { pushedAt: daysAgo(1) },
  });
  serveNpmPackages(fake);
  servePypiPackages(fake);
  serveCargoPackages(fake);
  serveOthers(fake);
  for (const [ecosystem, name] of successors) packages.serveSuccessor(fake, ecosystem, name);
}

/** What the marks and notices of these packages name. */
const successors = [
  ["npm", "ci-info"],
  ["npm", "@babel/eslint-parser"],
  ["pypi", "pycryptodome"],
  ["rubygems", "activestorage"],
  ["maven", "org.apache.logging.log4j:log4j-core"],
  ["cargo", "anyhow"],
  ["cargo", "socket2"],
  ["cargo", "clap"],
  ["go", "google.golang.org/protobuf"],
  ["maven", "com.mysql:mysql-connector-j"],
  ["nuget", "xunit.v3"],
  ["nuget", "Azure.Storage.Blobs"],
  ["packagist", "symfony/mailer"],
] as const;

function serveNpmPackages(fake: FakeSources): void {
  const npm = (
    name: string,
    versions: packages.FakePackage["versions"],
    more: Partial<packages.FakePackage> = {},
  ) => packages.serveNpm(fake, { name, versions, ...more });
  npm(
    "request",
    [
      {
        version: "2.88.2",
        at: daysAgo(2400),
        deprecated:
          "request has been deprecated, see https://github.com/request/request/issues/3142",
      },
      { version: "2.88.0", at: daysAgo(2900) },
    ],
    { repository: repositoryOf("request/request") },
  );
  npm(
    "core-js",
    [
      { version: "3.45.0", at: daysAgo(90) },
      {
        version: "2.6.11",
        at: daysAgo(2500),
        deprecated: "core-js@<3.23.3 is no longer maintained and not recommended for usage.",
      },
    ],
    { repository: repositoryOf("zloirock/core-js") },
  );
  npm("moment", [{ version: "2.30.1", at: daysAgo(1050) }], {
    repository: repositoryOf("moment/moment"),
  });
  npm("classnames", [{ version: "2.5.1", at: daysAgo(1060) }], {
    repository: repositoryOf("JedWatson/classnames"),
  });
  npm("@npmcli/ci-detect", [
    {
      version: "3.0.2",
      at: daysAgo(1400),
      deprecated: "this package has been deprecated, use `ci-info` instead",
    },
  ]);
  npm("babel-eslint", [
    {
      version: "10.1.0",
      at: daysAgo(2400),
      deprecated:
        "babel-eslint is now @babel/eslint-parser. This package will no longer receive updates.",
    },
  ]);
  npm("mediasoup-sdp-bridge", [{ version: "0.0.1-security", at: daysAgo(900) }], {
    repository: { type: "git", url: "git+https://github.com/npm/security-holder.git" },
    extra: { description: "security holding package" },
  });
  npm(
    "protractor",
    [
      { version: "7.0.0", at: daysAgo(2300) },
      { version: "5.4.4", at: daysAgo(2400) },
    ],
    { repository: repositoryOf("angular/protractor") },
  );
  npm("@babel/polyfill-like", [{ version: "7.12.1", at: daysAgo(2200) }], {
    repository: {
      type: "git",
      url: "https://github.com/babel/babel.git",
      directory: "packages/babel-polyfill",
    },
  });
}

function servePypiPackages(fake: FakeSources): void {
  packages.servePypi(fake, {
    name: "pycrypto",
    versions: [{ version: "2.6.1", at: daysAgo(4700) }],
  });
  packages.servePypi(fake, {
    name: "pyyaml",
    versions: [{ version: "6.0.3", at: daysAgo(400) }],
    repository: repositoryOf("yaml/pyyaml"),
  });
}

function serveCargoPackages(fake: FakeSources): void {
  const ecosystem = resolveRegistryAddresses({}).cargoName;
  const crate = (name: string, version: string, days: number, repository?: string) =>
    packages.serveCargo(fake, {
      name,
      versions: [{ version, at: daysAgo(days) }],
      ...(repository !== undefined && { repository }),
    });
  crate("failure", "0.1.8", 2200);
  crate("net2", "0.2.39", 1500);
  crate("structopt", "0.3.26", 1700);
  crate("bincode", "2.0.1", 600);
  packages.serveCargo(fake, {
    name: "ring",
    versions: [
      { version: "0.17.14", at: daysAgo(600) },
      { version: "0.16.20", at: daysAgo(2000) },
    ],
    repository: repositoryOf("briansmith/ring"),
  });
  const unmaintained = (id: string, details: string): readonly FakeAdvisory[] => [
    { id, informational: "unmaintained", summary: `${id} is unmaintained`, details },
  ];
  serveOsv(fake, {
    [`${ecosystem}/failure@0.1.8`]: unmaintained(
      "RUSTSEC-2020-0036",
      "Use anyhow:\n- [`anyhow`](https://a.example/anyhow)",
    ),
    [`${ecosystem}/net2@0.2.39`]: unmaintained(
      "RUSTSEC-2020-0016",
      "Use [`socket2`](https://a.example/socket2) instead.",
    ),
    [`${ecosystem}/structopt@0.3.26`]: unmaintained(
      "RUSTSEC-2022-0104",
      "Use [`clap`](https://a.example/clap) instead.",
    ),
    [`${ecosystem}/bincode@2.0.1`]: unmaintained("RUSTSEC-2025-0141", "Development has ceased."),
    [`${ecosystem}/ring@0.16.20`]: unmaintained(
      "RUSTSEC-2025-0010",
      "Versions before 0.17 are not maintained.",
    ),
    [`${ecosystem}/ring@0.17.14`]: [
      { id: "RUSTSEC-2025-0007", informational: "unmaintained", withdrawn: "2025-02-22T12:00:00Z" },
    ],
  });
}

function serveOthers(fake: FakeSources): void {
  const gem = (name: string, version: string, days: number, repository?: string) =>
    packages.serveRubygems(fake, {
      name,
      versions: [{ version, at: daysAgo(days) }],
      ...(repository !== undefined && { repository }),
    });
  gem("paperclip", "6.1.0", 3000);
  gem("journey", "1.0.4", 5000, repositoryOf("rails/journey"));
  const module = (
    name: string,
    version: string,
    days: number,
    more: Partial<packages.FakePackage> = {},
  ) =>
    packages.serveGoSite(fake, {
      name,
      versions: [{ version, at: daysAgo(days) }],
      repository: `https://${name}`,
      ...more,
    });
  module("github.com/golang/protobuf", "v1.5.4", 900, {
    extra: { deprecated: 'Use the "google.golang.org/protobuf" module instead.' },
  });
  module("github.com/gorilla/mux", "v1.8.1", 1100);
  module("github.com/davecgh/go-spew", "v1.1.1", 3100, { dependents: 40_000 });
  packages.serveMaven(fake, {
    name: "mysql:mysql-connector-java",
    versions: [{ version: "8.0.33", at: daysAgo(1200) }],
    extra: {
      pom: "<distributionManagement><relocation><groupId>com.mysql</groupId><artifactId>mysql-connector-j</artifactId></relocation></distributionManagement>",
    },
  });
  packages.serveMaven(fake, {
    name: "log4j:log4j",
    versions: [
      { version: "1.2.17", at: daysAgo(5200) },
      { version: "1.2.16", at: daysAgo(5900) },
    ],
  });
  packages.serveNuget(fake, {
    name: "xunit",
    versions: [
      {
        version: "2.9.3",
        at: daysAgo(600),
        deprecated: {
          reasons: ["Legacy"],
          message: "xunit.v3 has taken its place.",
          alternatePackage: { id: "xunit.v3", range: "*" },
        },
      },
    ],
    repository: repositoryOf("xunit/xunit"),
  });
  packages.serveNuget(fake, {
    name: "Microsoft.Azure.Storage.Blob",
    versions: [
      {
        version: "11.2.3",
        at: daysAgo(1900),
        deprecated: {
          reasons: ["Legacy"],
          alternatePackage: { id: "Azure.Storage.Blobs", range: "*" },
        },
      },
    ],
  });
  packages.servePackagist(fake, {
    name: "swiftmailer/swiftmailer",
    versions: [{ version: "v6.3.0", at: daysAgo(1800) }],
    extra: { abandoned: "symfony/mailer" },
  });
  packages.servePackagist(fake, {
    name: "phpunit/php-token-stream",
    versions: [{ version: "4.0.4", at: daysAgo(2300) }],
    extra: { abandoned: true },
  });
}
