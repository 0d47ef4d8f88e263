import { later, type Requirement } from "./requirement.ts";

/** The dependency-health seed and contract section 7. */
export const dependencyHealth: readonly Requirement[] = [
  ...later("dependency health", "dependency health seed, What the service does", [
    ["health.one-verdict", "package_health gives one verdict and the evidence behind it."],
    ["health.audit", "deps_audit gives a verdict per package, and a summary."],
    [
      "health.eol",
      "runtime_eol gives support and end-of-life dates per cycle of over 470 products.",
    ],
    ["health.mcp", "The three operations are served at /mcp as well."],
    ["health.context", "Every call carries task_context; the service is free."],
    ["health.ecosystems", "Eight ecosystems, with the name forms of their registries."],
  ]),
  ...later("dependency health", "dependency health seed, Package reference", [
    ["reference.ecosystem", "ecosystem is required and one of the eight."],
    ["reference.name", "name is 1 to 200 characters, spelled as the registry does."],
    ["reference.version", "version is at most 80 characters; omitted: the latest is assessed."],
    ["reference.strict", "Requests with further properties are refused."],
  ]),
  ...later("dependency health", "dependency health seed, Package verdict", [
    ["verdict.values", "deprecated, archived, stale, active or unknown."],
    ["verdict.deprecation", "Evidence: deprecation of the version by its registry."],
    ["verdict.yanked", "Evidence: whether the latest release was yanked or retracted."],
    ["verdict.repository", "Evidence: whether the repository is archived, and its last push."],
    ["verdict.counts", "Evidence: maintainers and dependents."],
    ["verdict.advisories", "Evidence: advisory ids for the exact version."],
    ["verdict.replacement", "Evidence: what replaced the package."],
    [
      "verdict.audit-row",
      "An audit row has verdict, latest version, two ages, advisory counts, replacement.",
    ],
    ["verdict.unparsed", "A manifest that cannot be parsed is reported as unparsed."],
    [
      "verdict.cycles",
      "A cycle is supported, security-only or eol, with patch, LTS flag and days left.",
    ],
  ]),
  ...later("dependency health", "dependency health seed, Endpoints", [
    ["tools.post", "All are POST with a required JSON body and 200 on success."],
    ["tools.health-body", "package_health: ecosystem, name, version?, task_context."],
    ["tools.audit-packages", "deps_audit: at most 25 packages, with or instead of a manifest."],
    ["tools.audit-manifest", "A package.json or requirements.txt, at most 60000 characters."],
    ["tools.audit-kind", "manifest_kind: auto, package.json or requirements.txt."],
    ["tools.audit-limit", "One call covers at most 25 packages."],
    ["tools.eol-product", "runtime_eol: product of 1 to 60 characters, a name or an alias."],
    ["tools.eol-cycle", "cycle of at most 30 characters; omitted: every cycle."],
  ]),
  ...later("dependency health", "dependency health seed, Limits", [
    ["tools.limit-name", "name: 1 to 200 characters."],
    ["tools.limit-version", "version: at most 80 characters."],
    ["tools.limit-context", "task_context: 1 to 500 characters."],
    ["tools.limit-packages", "packages: at most 25."],
    ["tools.limit-manifest", "manifest: at most 60000 characters."],
    ["tools.limit-product", "product: 1 to 60 characters."],
    ["tools.limit-cycle", "cycle: at most 30 characters."],
  ]),
  ...later("dependency health", "dependency health seed, Versioning", [
    ["tools.version", "The interface has version 0.1.1; paths have no version."],
  ]),
  ...later("dependency health", "contract 7", [
    ["tools.errors", "Errors are the flat body of the gateway."],
    [
      "tools.open",
      "No credential is needed; there is a request bucket per address, 429 rate_limited.",
    ],
    ["tools.health-fields", "package_health answers with the fields listed."],
    ["tools.unknown-is-null", "What is not known is null; a failed source never means active."],
    [
      "tools.unknown-version",
      "A version that the registry lacks: unknown, version_not_found, facts filled in.",
    ],
    [
      "tools.audit-fields",
      "deps_audit answers with packages, unparsed, not_assessed, kind and summary.",
    ],
    ["tools.kind-default", "An omitted manifest_kind is auto."],
    ["tools.audit-nothing", "Neither packages nor manifest: 400 param packages."],
    ["tools.audit-duplicates", "The same package and version twice is one row."],
    [
      "tools.audit-order",
      "Beyond 25: the explicit list first, then the dependency groups in order.",
    ],
    ["tools.eol-fields", "runtime_eol answers with product, cycles and the age of the data set."],
    ["tools.eol-unknown", "An unknown product or cycle is 404 with suggestions."],
    ["tools.unknown-package", "An unknown package is 200 with verdict unknown, not_found."],
    ["tools.mcp-equal", "MCP: same rules, structuredContent equal to REST, readOnlyHint."],
    ["tools.context-kept", "task_context is kept 30 days without an address."],
  ]),
];
