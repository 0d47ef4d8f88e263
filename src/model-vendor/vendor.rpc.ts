import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { EntityManager } from "@mikro-orm/postgresql";
import {
  ListVendorsResponseSchema,
  type LinkVendorRequest,
  type VendorLogin,
  type VendorService,
} from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { readAuditActor, type AuditActor } from "../domain/audit/audit.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import { entityManagerKey } from "../platform/request-context.ts";
import { requestTimestampToDate } from "../platform/read-timestamp.ts";
import { linkVendor, listVendors, unlinkVendor } from "./vendor-links.ts";
import type { VendorProbeDependencies } from "./vendor-probe.ts";
import type { LinkedVendorCredential } from "./vendor-secrets.ts";
import { viewVendor } from "./vendor.view.ts";

/** The handlers of vendors and linked credentials. */
export function createVendorRpc(
  dependencies: VendorProbeDependencies,
): ServiceImpl<typeof VendorService> {
  const { catalog: catalogue } = dependencies;
  const begin = (context: HandlerContext) => beginCall(context, dependencies);
  return {
    async listVendors(request, context) {
      const { em, actor } = begin(context);
      const page = await listVendors(em, actor, readPageRequest(request), catalogue);
      const envelope = toListEnvelope(page, viewVendor, ({ vendor }) => vendor.id);
      return create(ListVendorsResponseSchema, envelope);
    },
    async linkVendor(request, context) {
      const { em, actor } = begin(context);
      return viewVendor(
        await linkVendor(em, actor, request.vendor, credentialOf(request), dependencies),
      );
    },
    async unlinkVendor({ vendor }, context) {
      const { em, actor } = begin(context);
      return viewVendor(await unlinkVendor(em, actor, vendor, catalogue));
    },
  };
}

function beginCall(
  context: HandlerContext,
  { clock }: VendorProbeDependencies,
): { em: EntityManager; actor: AuditActor } {
  const em = context.values.get(entityManagerKey);
  if (em === undefined) throw new Error("The unit-of-work interceptor is missing.");
  return { em, actor: readAuditActor(context, clock) };
}

function credentialOf({ credential }: LinkVendorRequest): LinkedVendorCredential {
  switch (credential.case) {
    case "apiKey":
      return { kind: "api_key", apiKey: credential.value };
    case "login":
      return loginOf(credential.value);
    default:
      throw invalidRequestError("api_key", "Send the credential as `api_key` or as `login`.");
  }
}

function loginOf(login: VendorLogin): LinkedVendorCredential {
  const { accessToken, refreshToken, expiresAt, headers } = login;
  return {
    kind: "login",
    accessToken,
    refreshToken,
    expiresAt:
      expiresAt === undefined
        ? undefined
        : requestTimestampToDate(expiresAt, "login.expires_at").toISOString(),
    headers,
  };
}
