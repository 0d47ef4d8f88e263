import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ListModelsResponseSchema,
  ModelLaneSchema,
  ModelSchema,
  TokenCountSchema,
  type Model,
  type ModelService,
} from "../../../gen/ts/causeway/model/v1/model_pb.ts";
import { enumNameToNumber } from "../../contract/enum-name.ts";
import { invalidRequestError, notFoundError } from "../../platform/errors.ts";
import { authenticateRpcCallerKey } from "./caller-key-of-context.ts";
import type { GatewayModelEntry } from "./model-entry.ts";
import { loadModelEntries, type ModelListDependencies } from "./model-entries.ts";
import type { CallerKeyAuthenticator } from "../ports.ts";
import { estimateTextTokens, messagesTextLength } from "../call/text-length.ts";

/** What the handlers work with. */
export interface ModelRpcDependencies extends ModelListDependencies {
  readonly authenticator: CallerKeyAuthenticator;
}

/** The handlers of the model list and the token estimate. */
export function createModelListRpc(
  dependencies: ModelRpcDependencies,
): ServiceImpl<typeof ModelService> {
  return {
    async listModels(_request, context) {
      const entries = await loadModelEntries(
        dependencies,
        await authenticateRpcCallerKey(dependencies.authenticator, context),
      );
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
      const entries = await loadModelEntries(
        dependencies,
        await authenticateRpcCallerKey(dependencies.authenticator, context),
      );
      const entry = entries.find((candidate) => candidate.id === id);
      if (entry === undefined) throw notFoundError("model");
      return viewModel(entry);
    },
    countMessageTokens({ body = {} }) {
      const { model, messages } = body;
      if (typeof model !== "string")
        throw invalidRequestError("model", "`model` must be a string.");
      if (!Array.isArray(messages)) {
        throw invalidRequestError("messages", "`messages` must be an array.");
      }
      const inputTokens = BigInt(estimateTextTokens(messagesTextLength(messages)));
      return create(TokenCountSchema, { inputTokens });
    },
  };
}

function viewModel(entry: GatewayModelEntry): Model {
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
    lane: enumNameToNumber(ModelLaneSchema, lane),
    available: reason === undefined,
    ...(tier !== undefined && { tier }),
    ...(reason !== undefined && { reason }),
    ...(isAutomatic && { auto: true }),
    ...(contextWindow !== undefined && { contextWindow, contextLength: contextWindow }),
  });
}
