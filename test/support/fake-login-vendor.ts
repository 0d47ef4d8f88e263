import {
  json,
  openFakeUpstream,
  stream,
  type FakeUpstream,
  type ReceivedRequest,
  type Script,
} from "./fake-upstream.ts";

/** A vendor of code assistants: it takes bearers, and renews the logins that it gave out. */
export interface LoginVendor {
  readonly upstream: FakeUpstream;
  readonly baseUrl: string;
  readonly tokenUrl: string;
  /** Forms that the token endpoint was sent for a login, in order. */
  tokenRequests(name: string): Record<string, string>[];
  /** Requests of model calls with a token of a login, in order. */
  calls(name: string): ReceivedRequest[];
  /** Access tokens with which its models were asked for, in order. */
  listings(name: string): string[];
  /** Replaces the token endpoint's answer to a login, until `undefined`. */
  answerTokens(name: string, script: Script | undefined): void;
  /** Seconds that tokens of a login live from now on; undefined: not said. */
  setLife(name: string, seconds: number | undefined): void;
  /** Takes an access token no more. */
  revoke(accessToken: string): void;
  close(): Promise<void>;
}

const answer = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "code-large",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hello", annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
};

const events = [
  { type: "response.created", sequence_number: 0, response: { ...answer, output: [] } },
  { type: "response.completed", sequence_number: 1, response: answer },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

/**
 * Starts it. A login `ada` begins with `at-ada-1` and `rt-ada-1`; each renewal gives
 * the next pair, and a refresh token that was spent is refused.
 */
export async function openLoginVendor(): Promise<LoginVendor> {
  const revoked = new Set<string>();
  const spent = new Set<string>();
  const lives = new Map<string, number | undefined>();
  const scripts = new Map<string, Script>();
  const forms: { readonly name: string; readonly form: Record<string, string> }[] = [];

  const grant: Script = (response, request) => {
    const form = formOf(request);
    const token = form["refresh_token"] ?? "";
    const [, name = "", count = ""] = /^rt-(.+)-(\d+)$/.exec(token) ?? [];
    if (spent.has(token)) return json({ error: "invalid_grant" }, 400)(response, request);
    spent.add(token);
    const next = `${name}-${Number(count) + 1}`;
    const seconds = lives.has(name) ? lives.get(name) : 3600;
    const life = seconds === undefined ? {} : { expires_in: seconds };
    const pair = { access_token: `at-${next}`, refresh_token: `rt-${next}` };
    return json({ ...pair, token_type: "Bearer", ...life })(response, request);
  };

  const serve: Script = (response, request) => {
    if (request.path === "/oauth/token") {
      const form = formOf(request);
      const name = nameOf(form["refresh_token"]);
      forms.push({ name, form });
      return (scripts.get(name) ?? grant)(response, request);
    }
    if (revoked.has(bearerOf(request))) {
      const error = { message: `Token ${bearerOf(request)} has expired.`, code: "token_expired" };
      return json({ error }, 401)(response, request);
    }
    if (request.method === "GET") {
      return json({ object: "list", data: [{ id: "listed" }] })(response, request);
    }
    const body = JSON.parse(request.body.toString()) as { stream?: boolean };
    return (body.stream === true ? stream(events) : json(answer))(response, request);
  };

  const upstream = await openFakeUpstream(serve);
  return {
    upstream,
    baseUrl: `${upstream.origin}/v1`,
    tokenUrl: `${upstream.origin}/oauth/token`,
    tokenRequests: (name) => forms.filter((sent) => sent.name === name).map(({ form }) => form),
    calls: (name) =>
      upstream.requests.filter(
        (request) =>
          request.path === "/v1/responses" && bearerOf(request).startsWith(`at-${name}-`),
      ),
    listings: (name) =>
      upstream.requests
        .filter((request) => request.path === "/v1/models")
        .map(bearerOf)
        .filter((token) => token.startsWith(`at-${name}-`)),
    answerTokens: (name, script) =>
      void (script === undefined ? scripts.delete(name) : scripts.set(name, script)),
    setLife: (name, seconds) => void lives.set(name, seconds),
    revoke: (token) => void revoked.add(token),
    close: () => upstream.close(),
  };
}

/** The access token of a request. */
export function bearerOf({ headers }: ReceivedRequest): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}

function formOf({ body }: ReceivedRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body.toString()));
}

function nameOf(token = ""): string {
  return /^[ar]t-(.+)-\d+$/.exec(token)?.[1] ?? "";
}
