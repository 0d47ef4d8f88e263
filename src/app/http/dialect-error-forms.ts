import { surfaces } from "../../dialect/surfaces.ts";
import { failureOf } from "../../gateway/call/call-failure.ts";
import type { PathErrorForm } from "../../transport/rest/path-error-form.ts";
import type { PublicAddress } from "../start/public-address.ts";

/**
 * What Fastify refuses at or below the paths of the model calls (a wrong method, an unknown
 * path) is in the dialect of that path too: the clients that get lost there read no other
 * form.
 */
export function dialectErrorForms(address: PublicAddress): PathErrorForm[] {
  return surfaces.map((surface) => ({
    path: `/v1${surface.path}`,
    print: (error, requestId) =>
      surface.printError({ ...failureOf(error), docUrl: address.docUrl(error.code), requestId }),
  }));
}
