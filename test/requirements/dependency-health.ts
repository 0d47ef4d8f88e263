import { tested, type Requirement } from "./requirement.ts";

const health = "depshealth/service/package-health";
const audit = "depshealth/service/deps-audit";
const eol = "depshealth/service/runtime-eol";
const port = "depshealth/service/tools-port";
const contexts = "depshealth/service/task-contexts";
const fields = "answers with every field of the contract";

/** The dependency-health seed and contract section 7. */
export const dependencyHealth: readonly Requirement[] = [
  ...tested("dependency health seed, What the service does", [
    [
      "health.one-verdict",
      "package_health gives one verdict and the evidence behind it.",
      "depshealth/acceptance/labelled-packages > get it from package_health",
      "depshealth/verdict/judge > the decision table",
      `${health} > ${fields}`,
    ],
    [
      "health.audit",
      "deps_audit gives a verdict per package, and a summary.",
      "depshealth/acceptance/labelled-packages > get the same verdict from deps_audit",
      `${audit} > ${fields}`,
    ],
    [
      "health.eol",
      "runtime_eol gives support and end-of-life dates per cycle of over 470 products.",
      `${eol} > ${fields}`,
      "depshealth/eol/runtime-eol > the verdict on a cycle",
    ],
    [
      "health.mcp",
      "The three operations are served at /mcp as well.",
      `${port} > answer over MCP what REST answers`,
      "transport/mcp/conformance > of %s passes",
    ],
    [
      "health.context",
      "Every call carries task_context; the service is free.",
      "contract/operations > answers 400 and names the value that is wrong",
      `${port} > read no credential`,
      `${health} > tunes the sentence to the goal`,
    ],
    [
      "health.ecosystems",
      "Eight ecosystems, with the name forms of their registries.",
      "depshealth/gather/many-packages > gathers 25 packages of eight ecosystems",
      "depshealth/ecosystem/npm > escapes a scope as the registry wants it",
      "depshealth/ecosystem/go > upper case escaped",
    ],
  ]),
  ...tested("dependency health seed, Package reference", [
    [
      "reference.ecosystem",
      "ecosystem is required and one of the eight.",
      `${audit} > an unknown ecosystem`,
      `${audit} > no ecosystem`,
    ],
    [
      "reference.name",
      "name is 1 to 200 characters, spelled as the registry does.",
      `${audit} > a long name`,
      `${health} > gives the canonical name of an alias`,
    ],
    [
      "reference.version",
      "version is at most 80 characters; omitted: the latest is assessed.",
      `${audit} > a long version`,
      `${health} > assesses the latest version where none is named`,
    ],
    [
      "reference.strict",
      "Requests with further properties are refused.",
      `${audit} > a further property`,
      "contract/operations > refuses a field that it does not know",
    ],
  ]),
  ...tested("dependency health seed, Package verdict", [
    [
      "verdict.values",
      "deprecated, archived, stale, active or unknown.",
      "depshealth/verdict/judge > $rule: $verdict, $code",
    ],
    [
      "verdict.deprecation",
      "Evidence: deprecation of the version by its registry.",
      `${health} > gives the publisher's words on the very version`,
    ],
    [
      "verdict.yanked",
      "Evidence: whether the latest release was yanked or retracted.",
      "depshealth/ecosystem/pypi > moves the latest back over a yanked release",
      "depshealth/ecosystem/npm > knows versions that were unpublished, and that the latest was",
    ],
    [
      "verdict.repository",
      "Evidence: whether the repository is archived, and its last push.",
      `${health} > ${fields}`,
      "depshealth/source/repositories > tells the last push, of the default branch if it can",
    ],
    [
      "verdict.counts",
      "Evidence: maintainers and dependents.",
      `${health} > ${fields}`,
      "depshealth/source/fallbacks > dependents are counted by the index",
    ],
    [
      "verdict.advisories",
      "Evidence: advisory ids for the exact version.",
      `${health} > ${fields}`,
      "depshealth/source/osv > are of the assessed version, the worst first",
    ],
    [
      "verdict.replacement",
      "Evidence: what replaced the package.",
      "depshealth/gather/replacements > is the registry's before the one that is written down with its source",
      "depshealth/acceptance/labelled-packages > get it from package_health",
    ],
    [
      "verdict.audit-row",
      "An audit row has verdict, latest version, two ages, advisory counts, replacement.",
      `${audit} > ${fields}`,
    ],
    [
      "verdict.unparsed",
      "A manifest that cannot be parsed is reported as unparsed.",
      `${audit} > reports other formats as unparsed`,
      "manifest/detect-kind > is recognised by name when it is %s",
      "manifest/package-json > is unparsed at the line of the mistake",
    ],
    [
      "verdict.cycles",
      "A cycle is supported, security-only or eol, with patch, LTS flag and days left.",
      "depshealth/eol/runtime-eol > %s %s is %s",
      `${eol} > ${fields}`,
    ],
  ]),
  ...tested("dependency health seed, Endpoints", [
    [
      "tools.post",
      "All are POST with a required JSON body and 200 on success.",
      `${port} > are POST with a JSON body`,
    ],
    [
      "tools.health-body",
      "package_health: ecosystem, name, version?, task_context.",
      `${health} > ${fields}`,
      "contract/operations > refuses a field that it does not know",
    ],
    [
      "tools.audit-packages",
      "deps_audit: at most 25 packages, with or instead of a manifest.",
      `${audit} > takes a list of 25, and refuses one of 26`,
      `${audit} > ${fields}`,
    ],
    [
      "tools.audit-manifest",
      "A package.json or requirements.txt, at most 60000 characters.",
      `${audit} > takes a manifest of 60000 characters`,
      `${audit} > reads a requirements.txt`,
      "manifest/package-json > every form of a specifier",
      "manifest/requirements > every form of a line",
    ],
    [
      "tools.audit-kind",
      "manifest_kind: auto, package.json or requirements.txt.",
      `${audit} > reads what it is told to read`,
      `${audit} > an unknown kind`,
    ],
    ["tools.audit-limit", "One call covers at most 25 packages.", `${audit} > assesses 25`],
    [
      "tools.eol-product",
      "runtime_eol: product of 1 to 60 characters, a name or an alias.",
      "depshealth/eol/runtime-eol > is found as %j",
      `${eol} > a long product`,
    ],
    [
      "tools.eol-cycle",
      "cycle of at most 30 characters; omitted: every cycle.",
      `${eol} > reports every cycle where none is named`,
      `${eol} > a long cycle`,
    ],
  ]),
  ...tested("dependency health seed, Limits", [
    [
      "tools.limit-name",
      "name: 1 to 200 characters.",
      `${audit} > a long name`,
      `${audit} > no name`,
    ],
    ["tools.limit-version", "version: at most 80 characters.", `${audit} > a long version`],
    [
      "tools.limit-context",
      "task_context: 1 to 500 characters.",
      `${eol} > an empty goal`,
      `${eol} > a long goal`,
    ],
    ["tools.limit-packages", "packages: at most 25.", `${audit} > takes a list of 25`],
    [
      "tools.limit-manifest",
      "manifest: at most 60000 characters.",
      `${audit} > a manifest that is too long`,
    ],
    [
      "tools.limit-product",
      "product: 1 to 60 characters.",
      `${eol} > an empty product`,
      `${eol} > a long product`,
    ],
    ["tools.limit-cycle", "cycle: at most 30 characters.", `${eol} > a long cycle`],
  ]),
  ...tested("dependency health seed, Versioning", [
    [
      "tools.version",
      "The interface has version 0.1.1; paths have no version.",
      `${port} > stand in /openapi.json with the version of the interface`,
    ],
  ]),
  ...tested("contract 7", [
    [
      "tools.errors",
      "Errors are the flat body of the gateway.",
      "contract/operations > answers 400 and names the value that is wrong",
      `${eol} > is 404 for an unknown product or cycle`,
    ],
    [
      "tools.open",
      "No credential is needed; there is a request bucket per address, 429 rate_limited.",
      `${port} > read no credential`,
      `${port} > is of the address, over every protocol`,
      `${port} > is of the caller behind a trusted proxy`,
    ],
    [
      "tools.health-fields",
      "package_health answers with the fields listed.",
      `${health} > ${fields}`,
    ],
    [
      "tools.unknown-is-null",
      "What is not known is null; a failed source never means active.",
      `${health} > never makes a package active`,
      "depshealth/verdict/properties > a registry that fails never makes a package active",
      `${health} > is unknown for a name that nobody knows`,
    ],
    [
      "tools.unknown-version",
      "A version that the registry lacks: unknown, version_not_found, facts filled in.",
      `${health} > is unknown for a version that the registry lacks`,
    ],
    [
      "tools.audit-fields",
      "deps_audit answers with packages, unparsed, not_assessed, kind and summary.",
      `${audit} > ${fields}`,
    ],
    [
      "tools.kind-default",
      "An omitted manifest_kind is auto.",
      `${audit} > reads a requirements.txt`,
      `${audit} > reads what it is told to read`,
    ],
    [
      "tools.audit-nothing",
      "Neither packages nor manifest: 400 param packages.",
      `${audit} > nothing`,
    ],
    [
      "tools.audit-duplicates",
      "The same package and version twice is one row.",
      `${audit} > makes one row of the same package and version`,
    ],
    [
      "tools.audit-order",
      "Beyond 25: the explicit list first, then the dependency groups in order.",
      `${audit} > assesses 25: the list first`,
    ],
    [
      "tools.eol-fields",
      "runtime_eol answers with product, cycles and the age of the data set.",
      `${eol} > ${fields}`,
      `${eol} > survives a restart, and serves although its source is away`,
    ],
    [
      "tools.eol-unknown",
      "An unknown product or cycle is 404 with suggestions.",
      `${eol} > is 404 for an unknown product or cycle`,
    ],
    [
      "tools.unknown-package",
      "An unknown package is 200 with verdict unknown, not_found.",
      `${health} > is unknown for a name that nobody knows`,
    ],
    [
      "tools.mcp-equal",
      "MCP: same rules, structuredContent equal to REST, readOnlyHint.",
      `${port} > answer over MCP what REST answers`,
      "transport/mcp/mcp > is told of %s as REST tells it",
      "transport/mcp/mcp > sees the tools in the contract's order",
    ],
    [
      "tools.context-kept",
      "task_context is kept 30 days without an address.",
      `${contexts} > shows what was said`,
      `${contexts} > is forgotten after thirty days`,
      `${contexts} > has ids that tell the day and no more`,
    ],
  ]),
];
