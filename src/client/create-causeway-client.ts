import { createClient, type Client, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AccountService } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { AdminService } from "../../gen/ts/causeway/admin/v1/admin_pb.ts";
import { AgentService } from "../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { AliasService } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { CallService } from "../../gen/ts/causeway/call/v1/call_pb.ts";
import { DepshealthService } from "../../gen/ts/causeway/depshealth/v1/depshealth_pb.ts";
import { DocumentService } from "../../gen/ts/causeway/document/v1/document_pb.ts";
import { ItemService } from "../../gen/ts/causeway/item/v1/item_pb.ts";
import { ModelService } from "../../gen/ts/causeway/model/v1/model_pb.ts";
import { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { TranscodeService } from "../../gen/ts/causeway/transcode/v1/transcode_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { VendorService } from "../../gen/ts/causeway/vendor/v1/vendor_pb.ts";
import { WalletService } from "../../gen/ts/causeway/wallet/v1/wallet_pb.ts";
import { createRetryInterceptor } from "./retry-calls.ts";
import {
  createClientCredentialInterceptor,
  type ClientCredential,
} from "./credential-interceptor.ts";
import { wrapTransportWithDeadline } from "./causeway-transport.ts";

export { CausewayError } from "./causeway-error.ts";
export type { ClientCredential } from "./credential-interceptor.ts";

export interface CausewayClientOptions {
  /** Address of the gateway, `http://127.0.0.1:8080` for instance. */
  readonly baseUrl: string;
  /** Address of the dependency-health service where it has one of its own; else `baseUrl`. */
  readonly toolsUrl?: string;
  /** A caller key, a session token or the operator's token, or what gives one. None is sent without it. */
  readonly key?: ClientCredential;
  /** Milliseconds that a call may take, its repetitions included; 30 000 unless said. 0: as long as it takes. */
  readonly deadlineMs?: number;
  /** How often a call that failed for the moment and may be made again is; 2 unless said. */
  readonly retries?: number;
  /** What makes the requests, in place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A typed client of every service of the contract (`proto/`), for Node and browsers:
 * `await client.teams.listTeams({})`. Over the Connect protocol with `fetch`; calls
 * reject with a `CausewayError`. Model calls are not among them: those are made with
 * their vendors' own clients. See docs/generated-clients.md.
 */
export function createCausewayClient(options: CausewayClientOptions): CausewayClient {
  const gateway = transportTo(options.baseUrl, options);
  const tools = transportTo(options.toolsUrl ?? options.baseUrl, options);
  return {
    account: createClient(AccountService, gateway),
    admin: createClient(AdminService, gateway),
    agent: createClient(AgentService, gateway),
    aliases: createClient(AliasService, gateway),
    calls: createClient(CallService, gateway),
    documents: createClient(DocumentService, gateway),
    items: createClient(ItemService, gateway),
    models: createClient(ModelService, gateway),
    teams: createClient(TeamService, gateway),
    transcode: createClient(TranscodeService, gateway),
    upstreams: createClient(UpstreamService, gateway),
    vendors: createClient(VendorService, gateway),
    wallet: createClient(WalletService, gateway),
    depshealth: createClient(DepshealthService, tools),
  };
}

/** The services of the contract; each method is named like its operation. */
export interface CausewayClient {
  /** Signing in, sessions, caller keys, the account's audit. */
  readonly account: Client<typeof AccountService>;
  /** Users and their keys, for operators. */
  readonly admin: Client<typeof AdminService>;
  /** Threads of the agent. */
  readonly agent: Client<typeof AgentService>;
  readonly aliases: Client<typeof AliasService>;
  /** The log of model calls. */
  readonly calls: Client<typeof CallService>;
  /** Documents of services that the operator learned. */
  readonly documents: Client<typeof DocumentService>;
  /** MCP servers, rules and skills. */
  readonly items: Client<typeof ItemService>;
  readonly models: Client<typeof ModelService>;
  /** Teams, their members and invites. */
  readonly teams: Client<typeof TeamService>;
  /** What a call would look like in another dialect. */
  readonly transcode: Client<typeof TranscodeService>;
  /** Custom endpoints. */
  readonly upstreams: Client<typeof UpstreamService>;
  /** Vendors and their linked credentials. */
  readonly vendors: Client<typeof VendorService>;
  /** Balance and usage. */
  readonly wallet: Client<typeof WalletService>;
  /** Verdicts on packages, audits, end of life. */
  readonly depshealth: Client<typeof DepshealthService>;
}

function transportTo(baseUrl: string, options: CausewayClientOptions) {
  const { key, deadlineMs = 30_000, retries = 2, fetch } = options;
  const interceptors: Interceptor[] = [createRetryInterceptor(retries)];
  if (key !== undefined) interceptors.push(createClientCredentialInterceptor(key));
  const inner = createConnectTransport({ baseUrl, interceptors, ...(fetch && { fetch }) });
  return wrapTransportWithDeadline(inner, deadlineMs);
}
