import type { Clock } from "../platform/clock.ts";
import type { Dialer } from "../platform/dial/dialer.ts";
import { normalizeEndpointBaseUrl } from "../platform/endpoint/base-address.ts";
import { defaultUpstreamAuthStyle } from "../platform/endpoint/credential-headers.ts";
import { lowerCaseHeaders } from "../platform/endpoint/header-rules.ts";
import type { UpstreamListedModel } from "../platform/endpoint/model-list.ts";
import type { AccountProbeRateLimiter } from "../platform/endpoint/probe-budget.ts";
import {
  probeEndpointModels,
  type EndpointProbeVariant,
  type EndpointProbeResult,
} from "../platform/endpoint/probe-endpoint.ts";
import { createEndpointProbeReport } from "../platform/endpoint/probe-report.ts";
import type { TargetCooldown } from "../domain/target-cooldown.ts";
import type { UpstreamSecretSealer } from "./upstream-secrets.ts";
import type { CustomEndpoint } from "./upstream.entity.ts";
import type { ModelTokenLimits } from "../domain/callable-endpoint.ts";

/** What operations on custom endpoints work with. */
export interface CustomEndpointDependencies {
  readonly dialer: Dialer;
  readonly secrets: UpstreamSecretSealer;
  readonly budget: AccountProbeRateLimiter;
  readonly clock: Clock;
  /** Of the endpoints of an account those that rest as targets of aliases, by slug. */
  readonly cooldownsOf: (accountId: string) => ReadonlyMap<string, TargetCooldown>;
}

/** The caller's thousand and as many that probes found. */
const maxModels = 2000;

/** Those that `auto` tries, each with its own style of credential. */
const autoDialects = ["dialect_chat", "dialect_messages"] as const;

/** Pool of an endpoint's connections: a slug can be given again, an id cannot. */
export function upstreamPoolKey(id: string): string {
  return `upstream:${id}`;
}

/**
 * Probes an endpoint as the row describes it; take it from the budget before.
 * No transaction may be open: this takes up to ten seconds.
 */
export function probeUpstreamRow(
  row: CustomEndpoint,
  dependencies: CustomEndpointDependencies,
): Promise<EndpointProbeResult> {
  const target = {
    baseUrl: normalizeEndpointBaseUrl(row.baseUrl),
    poolKey: upstreamPoolKey(row.id),
    credential: dependencies.secrets.openKey(row),
    headers: lowerCaseHeaders(dependencies.secrets.openHeaders(row)),
    model: row.models[0],
  };
  return probeEndpointModels(dependencies.dialer, target, attemptsOf(row));
}

/**
 * Folds what a probe found into the row: listed models are appended, none is removed; names
 * are filled in, what the list says of a model replaces what it said before.
 */
export function mergeProbeIntoUpstream(
  row: CustomEndpoint,
  result: EndpointProbeResult,
  now: number,
): void {
  const { dialect } = result;
  if (row.dialectUndecided && dialect !== undefined) {
    Object.assign(row, { dialect, dialectUndecided: false });
  }
  row.models = mergeIds(row.models, result.models);
  // A list that is different each time must not grow the row beyond its models.
  const models = result.models.filter(({ id }) => row.models.includes(id));
  row.modelNames = { ...namesOf(models), ...row.modelNames };
  row.modelMeta = { ...row.modelMeta, ...metaOf(models) };
  row.modelCreated = { ...row.modelCreated, ...createdOf(models) };
  row.probe = createEndpointProbeReport(result, now);
  row.updatedAt = new Date(now);
}

function attemptsOf(row: CustomEndpoint): EndpointProbeVariant[] {
  const dialects = row.dialectUndecided ? autoDialects : [row.dialect];
  return dialects.map((dialect) => ({ dialect, authStyle: defaultUpstreamAuthStyle(dialect) }));
}

function mergeIds(known: readonly string[], listed: readonly UpstreamListedModel[]): string[] {
  return [...new Set([...known, ...listed.map(({ id }) => id)])].slice(0, maxModels);
}

function namesOf(models: readonly UpstreamListedModel[]): Record<string, string> {
  return Object.fromEntries(
    models.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])),
  );
}

function createdOf(models: readonly UpstreamListedModel[]): Record<string, number> {
  return Object.fromEntries(
    models.flatMap(({ id, created }) => (created === undefined ? [] : [[id, created]])),
  );
}

function metaOf(models: readonly UpstreamListedModel[]): Record<string, ModelTokenLimits> {
  return Object.fromEntries(
    models
      .filter((model) => model.contextWindow ?? model.maxOutputTokens)
      .map(({ id, contextWindow, maxOutputTokens }) => [
        id,
        {
          ...(contextWindow === undefined ? {} : { contextWindow }),
          ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        },
      ]),
  );
}
