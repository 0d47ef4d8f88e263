import { allDialectOperations } from "../../dialect/surfaces.ts";
import { toCallFailure } from "../../gateway/call/call-failure.ts";
import type { PathErrorFormat } from "../../transport/rest/path-error-format.ts";
import type { ServicePublicUrl } from "../start/public-address.ts";

/**
 * What Fastify refuses at or below the paths of the model calls (a wrong method, an unknown
 * path) is in the dialect of that path too: the clients that get lost there read no other
 * form.
 */
export function createDialectErrorFormats(address: ServicePublicUrl): PathErrorFormat[] {
  return allDialectOperations.map((surface) => ({
    path: `/v1${surface.path}`,
    print: (error, requestId) =>
      surface.serializeError({
        ...toCallFailure(error),
        docUrl: address.docUrl(error.code),
        requestId,
      }),
  }));
}
