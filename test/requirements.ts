/**
 * What Causeway promises, one sentence each, with the tests that hold it. The test of
 * this list (`requirements.test.ts`) fails for a sentence without a test and for a
 * title that no test has.
 */
import { agents } from "./requirements/agents.ts";
import { aliases } from "./requirements/aliases.ts";
import { answers } from "./requirements/answers.ts";
import { background } from "./requirements/background.ts";
import { callerKeys } from "./requirements/caller-keys.ts";
import { calls } from "./requirements/calls.ts";
import { clientRequests } from "./requirements/client-requests.ts";
import { configurationFile } from "./requirements/configuration-file.ts";
import { credits } from "./requirements/credits.ts";
import { databaseAway } from "./requirements/database-away.ts";
import { dependencyAudit } from "./requirements/dependency-audit.ts";
import { dependencyHealth } from "./requirements/dependency-health.ts";
import { embeddings } from "./requirements/embeddings.ts";
import { endpoints } from "./requirements/endpoints.ts";
import { environment } from "./requirements/environment.ts";
import { errors } from "./requirements/errors.ts";
import { idempotency } from "./requirements/idempotency.ts";
import { identity } from "./requirements/identity.ts";
import { items } from "./requirements/items.ts";
import { limits } from "./requirements/limits.ts";
import { models } from "./requirements/models.ts";
import { operations } from "./requirements/operations.ts";
import { packages } from "./requirements/packages.ts";
import { publishedInterface } from "./requirements/published-interface.ts";
import { requests } from "./requirements/requests.ts";
import { responses } from "./requirements/responses.ts";
import { routing } from "./requirements/routing.ts";
import { serviceDocuments } from "./requirements/service-documents.ts";
import { starting } from "./requirements/starting.ts";
import { teams } from "./requirements/teams.ts";
import { translatedAnswers } from "./requirements/translated-answers.ts";
import { translatedRequests } from "./requirements/translated-requests.ts";
import { translatedStreams } from "./requirements/translated-streams.ts";
import { translatedThoughts } from "./requirements/translated-thoughts.ts";
import { translatedTools } from "./requirements/translated-tools.ts";
import { upstreamCalls } from "./requirements/upstream-calls.ts";
import type { Requirement } from "./requirements/requirement.ts";

export const requirements: readonly Requirement[] = [
  ...operations,
  ...starting,
  ...publishedInterface,
  ...environment,
  ...configurationFile,
  ...identity,
  ...callerKeys,
  ...teams,
  ...items,
  ...endpoints,
  ...upstreamCalls,
  ...routing,
  ...credits,
  ...models,
  ...aliases,
  ...serviceDocuments,
  ...errors,
  ...requests,
  ...idempotency,
  ...limits,
  ...answers,
  ...dependencyAudit,
  ...dependencyHealth,
  ...databaseAway,
  ...embeddings,
  ...clientRequests,
  ...responses,
  ...background,
  ...agents,
  ...calls,
  ...packages,
  ...translatedRequests,
  ...translatedTools,
  ...translatedThoughts,
  ...translatedAnswers,
  ...translatedStreams,
];
