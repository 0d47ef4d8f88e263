import type { DataSourceThrottleLimits } from "./source-throttle.ts";

/** Everything we ask, by how it wants to be asked. */
export type PackageDataSourceName =
  | "npm"
  | "pypi"
  | "cargo-index"
  | "cargo-api"
  | "rubygems"
  | "go-proxy"
  | "go-site"
  | "maven"
  | "nuget"
  | "packagist-files"
  | "packagist-site"
  | "osv"
  | "depsdev"
  | "ecosystems"
  | "github"
  | "github-anonymous"
  | "gitlab"
  | "forgejo"
  | "endoflife";

const second = 1000;
const minute = 60 * second;

/** What the public services publish or are known to bear. */
const publicLimits: Readonly<Record<PackageDataSourceName, DataSourceThrottleLimits>> = {
  npm: limits(24, 50, 100),
  pypi: limits(10, 20, 50),
  "cargo-index": limits(20, 50, 100),
  // One request a second is asked for; a few may come at once after silence.
  "cargo-api": limits(2, 1, 4),
  rubygems: limits(8, 10, 20),
  "go-proxy": limits(10, 20, 50),
  "go-site": limits(6, 10, 30),
  // Answers about four requests a second with a block of half an hour.
  maven: { ...limits(4, 2.5, 12), pauseMs: 30 * minute },
  nuget: limits(10, 20, 60),
  "packagist-files": limits(20, 30, 60),
  "packagist-site": limits(8, 10, 30),
  osv: limits(16, 50, 200),
  depsdev: limits(10, 20, 60),
  ecosystems: limits(4, 1.3, 20),
  github: limits(8, 1.3, 60),
  "github-anonymous": limits(8, 1 / 60, 40),
  gitlab: limits(4, 6, 20),
  forgejo: limits(2, 2, 20),
  endoflife: limits(2, 1, 4),
};

/** An address of the operator's own is the operator's to spare. */
const configuredLimits: DataSourceThrottleLimits = {
  concurrency: 32,
  perSecond: 200,
  burst: 400,
  pauseMs: second,
};

/** How a source is asked. */
export function getDataSourceThrottleLimits(
  source: PackageDataSourceName,
  isOwn: boolean,
): DataSourceThrottleLimits {
  return isOwn ? configuredLimits : publicLimits[source];
}

function limits(concurrency: number, perSecond: number, burst: number): DataSourceThrottleLimits {
  return { concurrency, perSecond, burst, pauseMs: 5 * second };
}
