import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  ListTaskContextsResponseSchema,
  type DepshealthService,
  type ListTaskContextsRequest,
} from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import {
  ManifestKind as ManifestKindValue,
  type DepsAuditRequest,
} from "../../gen/ts/causeway/depshealth/v1/deps_audit_pb.ts";
import { CycleSelection } from "../../gen/ts/causeway/depshealth/v1/runtime_eol_pb.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import { entityManagerKey } from "../platform/request-context.ts";
import type { ManifestKind, ParsedManifest } from "../manifest/manifest.ts";
import { EventLoopTurnstile } from "../platform/event-loop-turnstile.ts";
import { runInTurns } from "../platform/run-in-turns.ts";
import { parseManifestInSteps } from "../manifest/read-manifest.ts";
import { assessPackages, type AssessmentDependencies, type AssessedPackage } from "./assess.ts";
import { deduplicateAuditRows } from "./audit/audit-row.ts";
import { planDependencyAudit, type DependencyAuditPlan } from "./audit/plan-audit.ts";
import { toUtcDay } from "./utc-day.ts";
import type { EolDatasetLoader } from "./eol/eol-source.ts";
import { lookUpRuntimeEol } from "./eol/runtime-eol.ts";
import type { Ecosystem } from "./facts.ts";
import type { CallerTaskContextRecorder } from "./task-context/task-context-log.ts";
import { listCallerTaskContexts } from "./task-context/task-contexts.ts";
import {
  viewPackageAudit,
  viewDepsAuditReport,
  type PackageAuditResultWithView,
} from "./view/deps-audit.view.ts";
import { fromProtoEcosystem, depshealthToolProtoPairs } from "./view/enums.ts";
import { viewPackageHealth } from "./view/package-health.view.ts";
import { viewRuntimeEol } from "./view/runtime-eol.view.ts";
import { viewTaskContext } from "./view/task-context.view.ts";

export interface DepshealthRpcDependencies extends AssessmentDependencies {
  /** What `runtime_eol` answers from, also where its source is off. */
  readonly runtimes: EolDatasetLoader;
  /** Undefined: the operator keeps none. */
  readonly taskContexts: CallerTaskContextRecorder | undefined;
}

type Methods<Name extends keyof ServiceImpl<typeof DepshealthService>> = Pick<
  ServiceImpl<typeof DepshealthService>,
  Name
>;

/** The three tools, and what callers said of their goals. */
export function createDepshealthRpc(
  dependencies: DepshealthRpcDependencies,
): ServiceImpl<typeof DepshealthService> {
  return {
    ...packageMethods(dependencies),
    ...runtimeMethods(dependencies),
    ...operatorMethods(dependencies),
  };
}

function packageMethods(
  dependencies: DepshealthRpcDependencies,
): Methods<"packageHealth" | "depsAudit"> {
  const { clock, taskContexts } = dependencies;
  const turnstile = new EventLoopTurnstile();
  return {
    async packageHealth({ name, version, taskContext, ...request }, { signal }) {
      const ecosystem = fromProtoEcosystem(request.ecosystem);
      taskContexts?.note({ text: taskContext, tool: "package_health", ecosystem });
      // A version without a character is none.
      const reference = { ecosystem, name, ...(version && { version }) };
      const [view] = await assessPackages(
        dependencies,
        [reference],
        { detail: "all", signal },
        (assessed) => viewPackageHealth(assessed, taskContext, clock.now()),
      );
      if (view === undefined) throw new Error("A package was not assessed.");
      return view;
    },
    async depsAudit(request, { signal }) {
      const manifest = await manifestOf(request, turnstile);
      const plan = planDependencyAudit(listedOf(request), manifest);
      const ecosystem = onlyOne([...plan.assessed, ...plan.notAssessed]);
      taskContexts?.note({ text: request.taskContext, tool: "deps_audit", ecosystem });
      const references = plan.assessed.map(({ reference }) => reference);
      const options = { detail: "verdict", signal } as const;
      const assessed = await assessPackages(dependencies, references, options, (each, index) =>
        auditedPackage(plan, each, index, clock.now()),
      );
      const rows = deduplicateAuditRows(plan.assessed, assessed);
      return viewDepsAuditReport({ plan, rows, manifestKind: manifest?.kind, now: clock.now() });
    },
  };
}

/** A row of an audit. It has no list of versions, because those of 25 packages may need much memory. */
function auditedPackage(
  { assessed: packages }: DependencyAuditPlan,
  assessed: AssessedPackage,
  index: number,
  now: number,
): PackageAuditResultWithView {
  const requested = packages[index];
  if (requested === undefined) throw new Error("No package was asked for.");
  const view = viewPackageAudit(requested, assessed, now);
  return { view, assessed: { ...assessed, info: { ...assessed.info, versions: [] } } };
}

function runtimeMethods({
  runtimes,
  clock,
  taskContexts,
}: DepshealthRpcDependencies): Methods<"runtimeEol"> {
  return {
    async runtimeEol({ product, cycle, cycles, taskContext }) {
      taskContexts?.note({ text: taskContext, tool: "runtime_eol", ecosystem: null });
      const isCurrent = cycles === CycleSelection.CURRENT;
      const answer = lookUpRuntimeEol(await runtimes.load(), {
        product,
        cycle: cycle || undefined,
        ...(isCurrent && { currentOn: toUtcDay(clock.now()) }),
      });
      return viewRuntimeEol(answer, clock.now());
    },
  };
}

function operatorMethods({
  clock,
  taskContexts,
}: DepshealthRpcDependencies): Methods<"listTaskContexts"> {
  return {
    async listTaskContexts(request, context) {
      const pageRequest = readPageRequest(request);
      const tool = depshealthToolProtoPairs.find(([, value]) => value === request.tool)?.[0];
      // So that an operator sees what was called before.
      await taskContexts?.flush();
      const filter = { from: dayIn(request, "from"), to: dayIn(request, "to"), tool };
      const page = await listCallerTaskContexts(
        entityManager(context),
        filter,
        pageRequest,
        clock.now(),
      );
      const envelope = toListEnvelope(page, viewTaskContext, ({ id }) => id);
      return create(ListTaskContextsResponseSchema, envelope);
    },
  };
}

/** The form has been checked; `2026-02-30` has it too. */
function dayIn(request: ListTaskContextsRequest, name: "from" | "to"): string | undefined {
  const day = request[name];
  const time = day === undefined ? 0 : Date.parse(day);
  if (!Number.isNaN(time) && (day === undefined || toUtcDay(time) === day)) return day;
  throw invalidRequestError(name, `\`${name}\` must be a day of the calendar.`);
}

const manifestKinds: Readonly<Partial<Record<ManifestKindValue, ManifestKind>>> = {
  [ManifestKindValue.PACKAGE_JSON]: "package.json",
  [ManifestKindValue.REQUIREMENTS_TXT]: "requirements.txt",
};

/** Throws 400 with `param: packages` when there is neither a package nor a manifest. */
async function manifestOf(
  { packages, manifest = "", manifestKind }: DepsAuditRequest,
  turnstile: EventLoopTurnstile,
): Promise<ParsedManifest | undefined> {
  if (packages.length === 0 && manifest === "") {
    throw invalidRequestError("packages", "Send `packages`, a `manifest`, or both.");
  }
  const kind = manifestKind === undefined ? undefined : manifestKinds[manifestKind];
  if (manifest === "") return undefined;
  return runInTurns(parseManifestInSteps(manifest, kind ?? "auto"), turnstile);
}

function listedOf({ packages }: DepsAuditRequest) {
  return packages.map(({ ecosystem, name, version }) => ({
    ecosystem: fromProtoEcosystem(ecosystem),
    name,
    version: version || undefined,
  }));
}

/** The ecosystem of all of them, if it is one. */
function onlyOne(
  rows: readonly { readonly reference: { readonly ecosystem: Ecosystem } }[],
): Ecosystem | null {
  const found = new Set(rows.map(({ reference }) => reference.ecosystem));
  const [first] = found;
  return found.size === 1 && first !== undefined ? first : null;
}

function entityManager({ values }: HandlerContext) {
  const em = values.get(entityManagerKey);
  if (em === undefined) throw new Error("no interceptor has set an entity manager");
  return em;
}
