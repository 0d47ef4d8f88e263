import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ListModelsResponseSchema,
  ModelLane as WireLane,
  ModelSchema,
  TokenCountSchema,
  type Model,
  type ModelService,
} from "../../../gen/ts/causeway/model/v1/model_pb.ts";
import type { CatalogueModel } from "../../platform/configuration/credits.ts";
import { invalidRequest, notFound, type ErrorCode } from "../../platform/errors.ts";
import type { ListedModel } from "../../platform/endpoint/model-list.ts";
import { keyOfContext } from "./key-of-context.ts";
import { listModels } from "./list-models.ts";
import type { ModelEntry, ModelLane } from "./model-entry.ts";
import type { KeyAuthenticator } from "../ports.ts";
import type { CallableEndpoint } from "../../kernel/callable-endpoint.ts";
import type { CallableVendor } from "../../kernel/callable-vendor.ts";
import type { CallerKey } from "../../kernel/caller-key.ts";
import type { Warm } from "../../platform/warm.ts";
import { soldModel, type Directories } from "../routing/owned-targets.ts";
import { resolveModel } from "../routing/resolve-model.ts";
import { estimatedTokens, messagesTextLength } from "../call/text-length.ts";

/** What the model list is read from. */
export interface ModelPorts {
  readonly authenticator: KeyAuthenticator;
  readonly directories: Directories;
  /** The account's endpoints, oldest first. */
  readonly endpoints: (accountId: string) => Warm<readonly CallableEndpoint[]>;
  readonly modelsOf: (vendor: CallableVendor) => Warm<readonly ListedModel[]>;
  readonly catalogue: readonly CatalogueModel[];
  /** What a call that this key would pay for is refused with now; one statement. */
  readonly creditRefusal: (key: CallerKey) => Promise<ErrorCode | undefined>;
}

const wireLane: Readonly<Record<ModelLane, WireLane>> = {
  agent: WireLane.AGENT,
  byo: WireLane.BYO,
  custom: WireLane.CUSTOM,
  credits: WireLane.CREDITS,
};

/** The handlers of the model list and the token estimate. */
export function createModelRpc(ports: ModelPorts): ServiceImpl<typeof ModelService> {
  return {
    async listModels(_request, context) {
      const entries = await entriesFor(ports, await keyOfContext(ports.authenticator, context));
      const data = entries.map(viewModel);
      const [first, last] = [data[0]?.id, data.at(-1)?.id];
      return create(ListModelsResponseSchema, {
        object: "list",
        data,
        hasMore: false,
        ...(first !== undefined && { firstId: first }),
        ...(last !== undefined && { lastId: last }),
      });
    },
    async getModel({ id }, context) {
      const entries = await entriesFor(ports, await keyOfContext(ports.authenticator, context));
      const entry = entries.find((candidate) => candidate.id === id);
      if (entry === undefined) throw notFound("model");
      return viewModel(entry);
    },
    countMessageTokens({ body = {} }) {
      const { model, messages } = body;
      if (typeof model !== "string") throw invalidRequest("model", "`model` must be a string.");
      if (!Array.isArray(messages)) {
        throw invalidRequest("messages", "`messages` must be an array.");
      }
      const inputTokens = BigInt(estimatedTokens(messagesTextLength(messages)));
      return create(TokenCountSchema, { inputTokens });
    },
  };
}

async function entriesFor(ports: ModelPorts, key: CallerKey): Promise<readonly ModelEntry[]> {
  const { accountId } = key.principal;
  const { directories, endpoints, modelsOf, catalogue, creditRefusal } = ports;
  return listModels({
    key,
    vendors: await directories.vendors.linked(accountId),
    endpoints: await endpoints(accountId),
    catalogue,
    isVendor: (segment) => directories.vendors.has(segment),
    modelsOf,
    creditRefusal: catalogue.length === 0 ? undefined : await creditRefusal(key),
    soldFor: (reference) => soldModel(directories, reference),
    ownersOf: async (model) => (await resolveModel(directories, accountId, model)).owned,
  });
}

function viewModel(entry: ModelEntry): Model {
  const { id, displayName, ownedBy, lane, tier, reason, isAutomatic, contextWindow } = entry;
  const created = BigInt(entry.created);
  return create(ModelSchema, {
    id,
    object: "model",
    type: "model",
    displayName,
    created,
    createdAt: { seconds: created },
    ownedBy,
    lane: wireLane[lane],
    available: reason === undefined,
    ...(tier !== undefined && { tier }),
    ...(reason !== undefined && { reason }),
    ...(isAutomatic && { auto: true }),
    ...(contextWindow !== undefined && { contextWindow, contextLength: contextWindow }),
  });
}
