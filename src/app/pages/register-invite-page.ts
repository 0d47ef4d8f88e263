import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sessionCookie } from "../../account/session-cookie.ts";
import { htmlHeaders } from "../../transport/docs/html-headers.ts";
import { webHeaders } from "../../transport/rest/web-headers.ts";
import { renderInvitePage } from "./invite-page.ts";
import {
  answerInvite,
  openInvite,
  type InviteAnswer,
  type InviteRequest,
  type InviteVisitDependencies,
} from "./invite-visit.ts";

/** An address and a code fit many times. */
const formBytes = 4096;

interface CodeRoute {
  Params: { code: string };
}

/**
 * The page behind the link of an invite. It works without script: an address, the
 * code that is mailed to it, and the person is signed in and a member.
 */
export function registerInvitePage(
  app: FastifyInstance,
  dependencies: InviteVisitDependencies,
): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: formBytes },
      (_request, body, parsed) =>
        parsed(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.get<CodeRoute>("/invites/:code", async (request, reply) =>
      send(reply, await openInvite(visitOf(request), dependencies), dependencies),
    );
    scope.post<CodeRoute>("/invites/:code", async (request, reply) => {
      const fields = (request.body ?? {}) as Record<string, string>;
      return send(reply, await answerInvite(visitOf(request), fields, dependencies), dependencies);
    });
    done();
  });
}

function visitOf({ params, headers, scope }: FastifyRequest<CodeRoute>): InviteRequest {
  const { address, requestId } = scope;
  return { code: params.code, headers: new Headers(webHeaders(headers)), address, requestId };
}

function send(
  reply: FastifyReply,
  { page, refusal, token }: InviteAnswer,
  { publicUrl }: InviteVisitDependencies,
): FastifyReply {
  const html = renderInvitePage(page);
  void reply.headers({ ...htmlHeaders(html, { sendsForms: true }), "cache-control": "no-store" });
  if (token !== undefined) void reply.header("set-cookie", sessionCookie(token, publicUrl()));
  if (refusal?.retryAfterSeconds !== undefined) {
    void reply.header("retry-after", refusal.retryAfterSeconds.toString());
  }
  return reply.status(refusal?.status ?? 200).send(html);
}
