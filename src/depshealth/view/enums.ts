import {
  Ecosystem as EcosystemValue,
  Severity as SeverityValue,
  Verdict as VerdictValue,
} from "../../../gen/ts/causeway/depshealth/v1/package_health_pb.ts";
import {
  DependencyGroup as DependencyGroupValue,
  VersionStep as VersionStepValue,
} from "../../../gen/ts/causeway/depshealth/v1/deps_audit_pb.ts";
import { CycleVerdict as CycleVerdictValue } from "../../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import { Tool } from "../../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import type { VersionBump } from "../audit/version-step.ts";
import type { EolCycleVerdict } from "../eol/cycle-verdict.ts";
import { ecosystems, type AdvisorySeverity, type Ecosystem } from "../facts.ts";
import type { DependencyGroup } from "../../manifest/manifest.ts";
import type { MaintenanceVerdict } from "../verdict/verdict.ts";

export const ecosystemProtoValues: Readonly<Record<Ecosystem, EcosystemValue>> = {
  npm: EcosystemValue.NPM,
  pypi: EcosystemValue.PYPI,
  cargo: EcosystemValue.CARGO,
  rubygems: EcosystemValue.RUBYGEMS,
  go: EcosystemValue.GO,
  maven: EcosystemValue.MAVEN,
  nuget: EcosystemValue.NUGET,
  packagist: EcosystemValue.PACKAGIST,
};

/** The ecosystem of a message that was validated. */
export function fromProtoEcosystem(value: EcosystemValue): Ecosystem {
  const found = ecosystems.find((ecosystem) => ecosystemProtoValues[ecosystem] === value);
  if (found === undefined) throw new Error(`ecosystem ${value.toString()} is not known`);
  return found;
}

export const maintenanceVerdictProtoValues: Readonly<Record<MaintenanceVerdict, VerdictValue>> = {
  deprecated: VerdictValue.DEPRECATED,
  archived: VerdictValue.ARCHIVED,
  stale: VerdictValue.STALE,
  active: VerdictValue.ACTIVE,
  unknown: VerdictValue.UNKNOWN,
};

export const advisorySeverityToProto: Readonly<Record<AdvisorySeverity, SeverityValue>> = {
  critical: SeverityValue.CRITICAL,
  high: SeverityValue.HIGH,
  moderate: SeverityValue.MODERATE,
  low: SeverityValue.LOW,
  unknown: SeverityValue.UNKNOWN,
};

export const eolCycleVerdictToProto: Readonly<Record<EolCycleVerdict, CycleVerdictValue>> = {
  supported: CycleVerdictValue.SUPPORTED,
  "security-only": CycleVerdictValue.SECURITY_ONLY,
  eol: CycleVerdictValue.EOL,
};

export const versionBumpToProto: Readonly<Record<VersionBump, VersionStepValue>> = {
  major: VersionStepValue.MAJOR,
  minor: VersionStepValue.MINOR,
  patch: VersionStepValue.PATCH,
};

export const dependencyGroupProtoValues: Readonly<Record<DependencyGroup, DependencyGroupValue>> = {
  production: DependencyGroupValue.PRODUCTION,
  optional: DependencyGroupValue.OPTIONAL,
  peer: DependencyGroupValue.PEER,
  development: DependencyGroupValue.DEVELOPMENT,
};

/** Names of the tools as they are stored. */
export const depshealthToolProtoPairs: readonly (readonly [name: string, value: Tool])[] = [
  ["package_health", Tool.PACKAGE_HEALTH],
  ["deps_audit", Tool.DEPS_AUDIT],
  ["runtime_eol", Tool.RUNTIME_EOL],
];
