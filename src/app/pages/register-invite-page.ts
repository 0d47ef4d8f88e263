import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { serializeSessionCookie } from "../../account/session-cookie.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import {
  reserveRequestBodyMemory,
  registerRawBodyParser,
} from "../../transport/reserve-body-memory.ts";
import { buildHtmlHeaders } from "../../transport/docs/html-headers.ts";
import { toWebHeaderPairs } from "../../transport/rest/web-headers.ts";
import { renderInvitePage } from "./invite-page.ts";
import {
  handleInviteForm,
  chooseInviteLandingPage,
  type InvitePageResult,
  type InviteLandingPageRequest,
  type InviteVisitDependencies,
} from "./invite-page-handler.ts";

/** An address and a code fit many times. */
const formBytes = 4096;

/** Everything the page works with. */
export interface InvitePageDependencies extends InviteVisitDependencies {
  readonly bodies: RequestBodyMemoryBudget;
}

interface CodeRoute {
  Params: { code: string };
}

/**
 * The page behind the link of an invite. It works without script: an address, the
 * code that is mailed to it, and the person is signed in and a member.
 */
export function registerInvitePage(
  app: FastifyInstance,
  dependencies: InvitePageDependencies,
): void {
  void app.register((scope, _options, done) => {
    registerRawBodyParser(scope, "application/x-www-form-urlencoded");
    scope.addHook("onRequest", async (request) =>
      reserveRequestBodyMemory(dependencies.bodies, request.scope),
    );
    scope.get<CodeRoute>("/invites/:code", async (request, reply) =>
      send(reply, await chooseInviteLandingPage(visitOf(request), dependencies), dependencies),
    );
    scope.post<CodeRoute>("/invites/:code", { bodyLimit: formBytes }, async (request, reply) => {
      const form = new URLSearchParams(String((request.body as Buffer | undefined) ?? ""));
      const fields = Object.fromEntries(form);
      return send(
        reply,
        await handleInviteForm(visitOf(request), fields, dependencies),
        dependencies,
      );
    });
    done();
  });
}

function visitOf({ params, headers, scope }: FastifyRequest<CodeRoute>): InviteLandingPageRequest {
  const { address, requestId } = scope;
  return { code: params.code, headers: new Headers(toWebHeaderPairs(headers)), address, requestId };
}

function send(
  reply: FastifyReply,
  { page, error: refusal, token }: InvitePageResult,
  { publicUrl }: InvitePageDependencies,
): FastifyReply {
  const html = renderInvitePage(page);
  void reply.headers({
    ...buildHtmlHeaders(html, { sendsForms: true }),
    "cache-control": "no-store",
  });
  if (token !== undefined)
    void reply.header("set-cookie", serializeSessionCookie(token, publicUrl()));
  if (refusal?.retryAfterSeconds !== undefined) {
    void reply.header("retry-after", refusal.retryAfterSeconds.toString());
  }
  return reply.status(refusal?.status ?? 200).send(html);
}
