/** A package whose verdict people agree on, and why. */
export interface LabelledPackage {
  readonly ecosystem: string;
  readonly name: string;
  readonly version?: string;
  readonly verdict: string;
  /** The deciding reason. */
  readonly reason: string;
  /** Reasons that qualify it. */
  readonly further?: readonly string[];
  readonly replacement?: string | null;
}

export const expectedVerdicts: readonly LabelledPackage[] = [
  { ecosystem: "npm", name: "request", verdict: "deprecated", reason: "deprecated_package" },
  {
    ecosystem: "npm",
    name: "core-js",
    version: "2.6.11",
    verdict: "deprecated",
    reason: "deprecated_version",
  },
  { ecosystem: "npm", name: "core-js", verdict: "active", reason: "recent_release" },
  {
    ecosystem: "npm",
    name: "moment",
    verdict: "active",
    reason: "recent_push",
    further: ["curated_note"],
  },
  { ecosystem: "npm", name: "classnames", verdict: "active", reason: "recent_push" },
  {
    ecosystem: "npm",
    name: "@npmcli/ci-detect",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "ci-info",
  },
  {
    ecosystem: "npm",
    name: "babel-eslint",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "@babel/eslint-parser",
  },
  {
    ecosystem: "npm",
    name: "mediasoup-sdp-bridge",
    verdict: "deprecated",
    reason: "removed_by_registry",
  },
  {
    ecosystem: "npm",
    name: "protractor",
    verdict: "deprecated",
    reason: "product_eol",
    further: ["repository_archived"],
  },
  { ecosystem: "npm", name: "@babel/polyfill-like", verdict: "stale", reason: "no_recent_release" },
  {
    ecosystem: "pypi",
    name: "pycrypto",
    verdict: "deprecated",
    reason: "curated",
    replacement: "pycryptodome",
  },
  { ecosystem: "pypi", name: "PyYAML", verdict: "active", reason: "recent_release" },
  {
    ecosystem: "cargo",
    name: "failure",
    verdict: "deprecated",
    reason: "rustsec_unmaintained",
    replacement: "anyhow",
  },
  {
    ecosystem: "cargo",
    name: "net2",
    verdict: "deprecated",
    reason: "rustsec_unmaintained",
    replacement: "socket2",
  },
  {
    ecosystem: "cargo",
    name: "structopt",
    verdict: "deprecated",
    reason: "rustsec_unmaintained",
    replacement: "clap",
  },
  {
    ecosystem: "cargo",
    name: "bincode",
    verdict: "deprecated",
    reason: "rustsec_unmaintained",
    replacement: null,
  },
  {
    ecosystem: "cargo",
    name: "ring",
    version: "0.16.20",
    verdict: "deprecated",
    reason: "rustsec_unmaintained",
  },
  { ecosystem: "cargo", name: "ring", verdict: "active", reason: "recent_release" },
  {
    ecosystem: "rubygems",
    name: "paperclip",
    verdict: "deprecated",
    reason: "curated",
    replacement: "activestorage",
  },
  { ecosystem: "rubygems", name: "journey", verdict: "archived", reason: "repository_archived" },
  {
    ecosystem: "go",
    name: "github.com/golang/protobuf",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "google.golang.org/protobuf",
  },
  {
    ecosystem: "go",
    name: "github.com/gorilla/mux",
    verdict: "stale",
    reason: "no_recent_activity",
    further: ["cycle_eol"],
  },
  {
    ecosystem: "go",
    name: "github.com/davecgh/go-spew",
    verdict: "stale",
    reason: "no_recent_activity",
    further: ["finished_candidate"],
  },
  {
    ecosystem: "maven",
    name: "mysql:mysql-connector-java",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "com.mysql:mysql-connector-j",
  },
  {
    ecosystem: "maven",
    name: "log4j:log4j",
    verdict: "deprecated",
    reason: "product_eol",
    replacement: "org.apache.logging.log4j:log4j-core",
  },
  {
    ecosystem: "nuget",
    name: "xunit",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "xunit.v3",
  },
  {
    ecosystem: "nuget",
    name: "Microsoft.Azure.Storage.Blob",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "Azure.Storage.Blobs",
  },
  {
    ecosystem: "packagist",
    name: "swiftmailer/swiftmailer",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: "symfony/mailer",
  },
  {
    ecosystem: "packagist",
    name: "phpunit/php-token-stream",
    verdict: "deprecated",
    reason: "deprecated_package",
    replacement: null,
  },
  { ecosystem: "npm", name: "reqeust", verdict: "unknown", reason: "not_found" },
  {
    ecosystem: "npm",
    name: "request",
    version: "9.9.9",
    verdict: "unknown",
    reason: "version_not_found",
  },
];
