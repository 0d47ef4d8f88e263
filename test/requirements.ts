/**
 * Every sentence and table row of the two seed documents and of the contract that
 * asks for something, in our own words, with the tests that hold it. Test:
 * `requirements.test.ts`.
 */
import { contractShapes } from "./requirements/contract-shapes.ts";
import { contractIdentity } from "./requirements/contract-identity.ts";
import { contractAgentLane } from "./requirements/contract-agent-lane.ts";
import { contractAnswers } from "./requirements/contract-answers.ts";
import { contractAccountLimits } from "./requirements/contract-account-limits.ts";
import { contractAgentTools } from "./requirements/contract-agent-tools.ts";
import { contractAgentTurns } from "./requirements/contract-agent-turns.ts";
import { contractBackground } from "./requirements/contract-background.ts";
import { contractClientRequests } from "./requirements/contract-client-requests.ts";
import { contractEmbeddings } from "./requirements/contract-embeddings.ts";
import { contractCredits } from "./requirements/contract-credits.ts";
import { contractItemFiles } from "./requirements/contract-item-files.ts";
import { contractLimits } from "./requirements/contract-limits.ts";
import { contractServiceDocuments } from "./requirements/contract-service-documents.ts";
import { contractModels } from "./requirements/contract-models.ts";
import { contractRequests } from "./requirements/contract-requests.ts";
import { contractCalls } from "./requirements/contract-calls.ts";
import { contractConfigurationFile } from "./requirements/contract-configuration-file.ts";
import { contractRoutes } from "./requirements/contract-routes.ts";
import { contractAliasTargets } from "./requirements/contract-alias-targets.ts";
import { contractPackages } from "./requirements/contract-packages.ts";
import { contractRunning } from "./requirements/contract-running.ts";
import { contractStreams } from "./requirements/contract-streams.ts";
import { contractUpstreamCalls } from "./requirements/contract-upstream-calls.ts";
import { dependencyAudit } from "./requirements/dependency-audit.ts";
import { dependencyHealth } from "./requirements/dependency-health.ts";
import { gatewaySeedOperations } from "./requirements/gateway-seed-operations.ts";
import { gatewaySeedResources } from "./requirements/gateway-seed-resources.ts";
import { gatewaySeedRules } from "./requirements/gateway-seed-rules.ts";
import { gatewaySeedTeams } from "./requirements/gateway-seed-teams.ts";
import { contractOperations } from "./requirements/contract-operations.ts";
import { operations } from "./requirements/operations.ts";
import type { Requirement } from "./requirements/requirement.ts";

export const requirements: readonly Requirement[] = [
  ...operations,
  ...contractOperations,
  ...gatewaySeedResources,
  ...gatewaySeedOperations,
  ...gatewaySeedTeams,
  ...gatewaySeedRules,
  ...dependencyHealth,
  ...dependencyAudit,
  ...contractPackages,
  ...contractRunning,
  ...contractConfigurationFile,
  ...contractIdentity,
  ...contractShapes,
  ...contractRequests,
  ...contractModels,
  ...contractAliasTargets,
  ...contractUpstreamCalls,
  ...contractClientRequests,
  ...contractAccountLimits,
  ...contractStreams,
  ...contractAnswers,
  ...contractEmbeddings,
  ...contractCredits,
  ...contractCalls,
  ...contractLimits,
  ...contractRoutes,
  ...contractAgentTools,
  ...contractAgentTurns,
  ...contractBackground,
  ...contractItemFiles,
  ...contractAgentLane,
  ...contractServiceDocuments,
];
