import { tested, type Requirement } from "./requirement.ts";

const happy = "contract/operations > succeeds over REST with the contract's status";
const connect = "contract/operations > succeeds over Connect";
const refused =
  "contract/operations > is refused to every credential that its policy does not name";

/** The rows of the operation tables: method, path, who may call, status of a success. */
export const operations: readonly Requirement[] = [
  ...tested("gateway seed, Endpoints", [
    [
      "operation.createChatCompletion",
      "POST /v1/chat/completions, gateway:invoke, 200.",
      "contract/model-calls > %s reaches %s",
      "contract/caller-keys > is %s for %s, and no other will do",
      "app/model-calls > serve the official OpenAI client, streamed and not",
    ],
    [
      "operation.createResponse",
      "POST /v1/responses, gateway:invoke, 200.",
      "contract/model-calls > %s reaches %s",
      "contract/caller-keys > is %s for %s, and no other will do",
      "gateway/route/official-clients > get whole answers",
    ],
    [
      "operation.createMessage",
      "POST /v1/messages, gateway:invoke, 200.",
      "contract/model-calls > %s reaches %s",
      "contract/caller-keys > is %s for %s, and no other will do",
      "app/model-calls > serve the official Anthropic client",
    ],
    ["operation.listUpstreams", "GET /v1/upstreams, endpoints:read, 200.", happy, connect, refused],
    [
      "operation.createUpstream",
      "POST /v1/upstreams, endpoints:write, 201.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.updateUpstream",
      "PATCH /v1/upstreams/{slug}, endpoints:write, 200.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.deleteUpstream",
      "DELETE /v1/upstreams/{slug}, endpoints:write, 204.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.probeUpstream",
      "POST /v1/upstreams/{slug}/probe, endpoints:write, 200.",
      happy,
      connect,
      refused,
    ],
  ]),
  ...tested("gateway seed, Endpoints", [
    [
      "operation.countMessageTokens",
      "POST /v1/messages/count_tokens, any live key, 200.",
      "contract/operations > succeeds over REST with the contract's status",
      "contract/operations > succeeds over Connect",
      "contract/operations > is refused to every credential that its policy does not name",
    ],
    [
      "operation.listModels",
      "GET /v1/models, any live key, 200.",
      "contract/operations > succeeds over REST with the contract's status",
      "contract/operations > succeeds over Connect",
      "contract/operations > is refused to every credential that its policy does not name",
    ],
    [
      "operation.listAliases",
      "GET /v1/aliases, endpoints:read, 200.",
      "contract/operations > succeeds over REST with the contract's status",
      "contract/operations > succeeds over Connect",
      "contract/operations > is refused to every credential that its policy does not name",
    ],
    [
      "operation.setAlias",
      "PUT /v1/aliases/{token}, endpoints:write, 200.",
      "contract/operations > succeeds over REST with the contract's status",
      "contract/operations > succeeds over Connect",
      "contract/operations > is refused to every credential that its policy does not name",
    ],
    [
      "operation.deleteAlias",
      "DELETE /v1/aliases/{token}, endpoints:write, 200.",
      "contract/operations > succeeds over REST with the contract's status",
      "contract/operations > succeeds over Connect",
      "contract/operations > is refused to every credential that its policy does not name",
    ],
  ]),
  ...tested("gateway seed, Endpoints", [
    ["operation.listTeams", "GET /v1/teams, teams:read, 200.", happy, connect, refused],
    ["operation.createTeam", "POST /v1/teams, teams:write, 201.", happy, connect, refused],
    ["operation.getTeam", "GET /v1/teams/{team_id}, teams:read, 200.", happy, connect, refused],
    [
      "operation.updateTeam",
      "PATCH /v1/teams/{team_id}, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.deleteTeam",
      "DELETE /v1/teams/{team_id}, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
    ["operation.listTeamMembers", "GET …/members, teams:read, 200.", happy, connect, refused],
    [
      "operation.updateTeamMember",
      "PATCH …/members/{user_id}, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.removeTeamMember",
      "DELETE …/members/{user_id}, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
    ["operation.listTeamInvites", "GET …/invites, teams:read, 200.", happy, connect, refused],
    ["operation.createTeamInvite", "POST …/invites, teams:write, 201.", happy, connect, refused],
    [
      "operation.revokeTeamInvite",
      "DELETE …/invites/{code}, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.resendTeamInvite",
      "POST …/invites/{code}/resend, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
    [
      "operation.acceptTeamInvite",
      "POST /v1/team_invites/{code}/accept, teams:write, 200.",
      happy,
      connect,
      refused,
    ],
  ]),
  ...tested("gateway seed, Endpoints", [
    [
      "operation.getServiceDocument",
      "GET /docs/services/{service_id}.json, no credential, 200.",
      happy,
      connect,
    ],
  ]),
  ...tested("dependency health seed, Endpoints", [
    [
      "operation.package_health",
      "POST /tools/package_health, JSON body required, 200.",
      happy,
      connect,
    ],
    ["operation.deps_audit", "POST /tools/deps_audit, JSON body required, 200.", happy, connect],
    ["operation.runtime_eol", "POST /tools/runtime_eol, JSON body required, 200.", happy, connect],
  ]),
];
