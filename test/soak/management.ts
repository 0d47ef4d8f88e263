import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { Agent as HttpAgent } from "node:http";
import { fetch, type Dispatcher } from "undici";
import { AliasService } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import { UpstreamService } from "../../gen/ts/causeway/upstream/v1/upstream_pb.ts";
import { WalletService } from "../../gen/ts/causeway/wallet/v1/wallet_pb.ts";
import type { SeededRandom } from "../support/seeded-random.ts";

/** How a management call ended: `ok`, a code, or `connection` where there was no answer. */
export interface ManagementOutcome {
  readonly protocol: "REST" | "Connect" | "gRPC";
  readonly status: number | undefined;
  readonly code: string;
  /** What Connect's client says of a code. */
  readonly message?: string;
}

export interface ManagementOptions {
  readonly url: string;
  readonly session: string;
  /** Of the same account. */
  readonly key: string;
  readonly dispatcher: Dispatcher;
}

type RestRequest = readonly [method: string, path: string, body?: object];

const read: RestRequest[] = [
  ["GET", "/v1/me"],
  ["GET", "/v1/keys"],
  ["GET", "/v1/upstreams"],
  ["GET", "/v1/models"],
  ["GET", "/v1/vendors"],
  ["GET", "/v1/wallet"],
  ["GET", "/v1/usage?group_by=day"],
  ["GET", "/v1/aliases/changes?after_rev=0"],
  ["GET", "/v1/audit"],
];

/** No session is let in there. */
const forKeys = new Set(["/v1/models", "/v1/transcode/preview"]);

/** Management calls of one account, over every protocol. */
export class Management {
  readonly #options: ManagementOptions;
  readonly #agent = new HttpAgent({ keepAlive: true });
  readonly #sessions: Http2SessionManager;
  readonly #transports: readonly (readonly ["Connect" | "gRPC", Transport])[];

  constructor(options: ManagementOptions) {
    this.#options = options;
    const { url: baseUrl } = options;
    this.#sessions = new Http2SessionManager(baseUrl);
    const nodeOptions = { agent: this.#agent };
    this.#transports = [
      ["Connect", createConnectTransport({ baseUrl, httpVersion: "1.1", nodeOptions })],
      ["gRPC", createGrpcTransport({ baseUrl, sessionManager: this.#sessions })],
    ];
  }

  /** Makes one call, whichever; never rejects. */
  call(random: SeededRandom): Promise<ManagementOutcome> {
    return random.next() < 0.5 ? this.#callRest(random) : this.#callRpc(random);
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
    this.#sessions.abort();
  }

  async #callRest(random: SeededRandom): Promise<ManagementOutcome> {
    const { url, session, key, dispatcher } = this.#options;
    const [method, path, body] = this.#restRequest(random);
    const token = forKeys.has(path) ? key : session;
    try {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        dispatcher,
      });
      const text = await answer.text();
      const code = answer.ok ? "ok" : (/"error":"(\w+)"/.exec(text)?.[1] ?? "unknown");
      return { protocol: "REST", status: answer.status, code };
    } catch {
      return { protocol: "REST", status: undefined, code: "connection" };
    }
  }

  #restRequest(random: SeededRandom): RestRequest {
    const kind = random.next();
    const token = `soak${random.between(0, 7)}`;
    if (kind < 0.15) return ["PUT", `/v1/aliases/${token}`, { vendor: "own-chat", model_id: "m" }];
    if (kind < 0.25) return ["DELETE", `/v1/aliases/${token}`];
    if (kind < 0.3) return ["POST", "/v1/transcode/preview", preview];
    return random.pick(read);
  }

  async #callRpc(random: SeededRandom): Promise<ManagementOutcome> {
    const [protocol, transport] = random.pick(this.#transports);
    try {
      await this.#ask(transport, random);
      return { protocol, status: 200, code: "ok" };
    } catch (error) {
      const { code, message } = ConnectError.from(error);
      return {
        protocol,
        status: undefined,
        code: isOfSystem(error) ? "connection" : Code[code],
        message,
      };
    }
  }

  async #ask(transport: Transport, random: SeededRandom): Promise<unknown> {
    const { session } = this.#options;
    const options = { headers: { authorization: `Bearer ${session}` } };
    const kind = random.between(0, 3);
    if (kind === 0) return createClient(UpstreamService, transport).listUpstreams({}, options);
    if (kind === 1) return createClient(WalletService, transport).getWallet({}, options);
    if (kind === 2) return createClient(AliasService, transport).listAliases({}, options);
    return this.#watch(transport, random.between(50, 1500));
  }

  /** Listens for a while to what becomes of the aliases, and hangs up. */
  async #watch(transport: Transport, milliseconds: number): Promise<void> {
    const signal = AbortSignal.timeout(milliseconds);
    const headers = { authorization: `Bearer ${this.#options.session}` };
    try {
      const client = createClient(AliasService, transport);
      for await (const changes of client.watchAliases({}, { headers, signal })) void changes;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** A system call that failed, which Connect's client calls `Internal` where it is EPIPE. */
function isOfSystem(error: unknown): boolean {
  const { cause } = ConnectError.from(error);
  return cause instanceof Error && "syscall" in cause;
}

const preview = {
  from: "chat",
  to: "dialect_messages",
  body: { model: "m", messages: [{ role: "user", content: "Hello" }] },
};
