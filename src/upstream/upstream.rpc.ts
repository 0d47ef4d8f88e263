import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import { DialectChoiceSchema } from "../../gen/ts/causeway/dialect/v1/dialect_pb.ts";
import {
  DeleteUpstreamResponseSchema,
  ListUpstreamsResponseSchema,
  type CreateUpstreamRequest,
  type UpstreamService,
} from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import { readAuditActor, type AuditActor } from "../domain/audit/audit.ts";
import { requireAccountId } from "../platform/endpoint/require-account.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import { entityManagerKey } from "../platform/request-context.ts";
import { createUpstream, type NewCustomEndpoint } from "./create-upstream.ts";
import { updateUpstream } from "./update-upstream.ts";
import { parseCustomEndpointPatch } from "./upstream-changes.ts";
import type { CustomEndpointDependencies } from "./upstream-probe.ts";
import type { CustomEndpoint } from "./upstream.entity.ts";
import { viewUpstream, viewUpstreamWithProbe } from "./upstream.view.ts";
import { deleteUpstream, listUpstreams, probeStoredUpstream } from "./upstreams.ts";

/** A request that does not page gets every endpoint, within reason. */
const wholeList = 1000;

interface Call {
  readonly em: EntityManager;
  readonly actor: AuditActor;
}

/** The handlers of custom endpoints. */
export function createUpstreamRpc(
  dependencies: CustomEndpointDependencies,
): ServiceImpl<typeof UpstreamService> {
  const begin = (context: HandlerContext): Call => beginCall(context, dependencies);
  const show = (row: CustomEndpoint, { actor }: Call) =>
    viewUpstreamWithProbe(
      row,
      actor.principal,
      dependencies.secrets,
      dependencies.cooldownsOf(row.accountId),
    );
  return {
    async listUpstreams(request, context) {
      const { em, actor } = begin(context);
      const page = await listUpstreams(em, actor, readPageRequest(request, wholeList));
      const rests = dependencies.cooldownsOf(requireAccountId(actor.principal));
      const view = (row: CustomEndpoint) =>
        viewUpstream(row, actor.principal, dependencies.secrets, rests);
      const envelope = toListEnvelope(page, view, ({ slug }) => slug);
      return create(ListUpstreamsResponseSchema, { ...envelope, upstreams: envelope.data });
    },
    async createUpstream(request, context) {
      const call = begin(context);
      return show(
        await createUpstream(call.em, call.actor, newUpstream(request), dependencies),
        call,
      );
    },
    async updateUpstream(request, context) {
      const call = begin(context);
      const changes = parseCustomEndpointPatch(request);
      return show(
        await updateUpstream(call.em, call.actor, request.slug, changes, dependencies),
        call,
      );
    },
    async deleteUpstream({ slug }, context) {
      const { em, actor } = begin(context);
      await deleteUpstream(em, actor, slug);
      return create(DeleteUpstreamResponseSchema);
    },
    async probeUpstream({ slug }, context) {
      const call = begin(context);
      return show(await probeStoredUpstream(call.em, call.actor, slug, dependencies), call);
    },
  };
}

function beginCall(context: HandlerContext, { clock }: CustomEndpointDependencies): Call {
  const em = context.values.get(entityManagerKey);
  if (em === undefined) throw new Error("The unit-of-work interceptor is missing.");
  return { em, actor: readAuditActor(context, clock) };
}

function newUpstream(request: CreateUpstreamRequest): NewCustomEndpoint {
  const { label, baseUrl, apiKey, headers, models } = request;
  const dialect =
    (enumNumberToName(DialectChoiceSchema, request.dialect) as
      | NewCustomEndpoint["dialect"]
      | undefined) ?? "auto";
  return { label, baseUrl, apiKey, headers, models, dialect };
}
