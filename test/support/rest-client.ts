import { randomBytes } from "node:crypto";

/** What a REST call sends beside its method and path. */
export interface CallOptions {
  /** Goes as a bearer. */
  readonly token?: string | undefined;
  /** Goes as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, else the text. Tests look into answers of every shape. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Calls one server: a method, a path (or a whole address) and what to send. */
export type RestCall = (
  method: string,
  path: string,
  options?: CallOptions,
) => Promise<RestResponse>;

/** A user that the operator made for a test. */
export interface TestUser {
  readonly id: string;
  readonly email: string;
  /** A session token. */
  readonly session: string;
  /** Makes a caller key of that user, by the operator. */
  createKey(fields?: Readonly<Record<string, unknown>>): Promise<{ id: string; secret: string }>;
}

/** Makes the function that calls the server at an address. */
export function restClient(baseUrl: string): RestCall {
  return (method, path, options) =>
    callRest(path.startsWith("http") ? path : baseUrl + path, method, options);
}

async function callRest(
  url: string,
  method: string,
  options: CallOptions = {},
): Promise<RestResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.body !== undefined && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

/** Makes a user and a session of it; without an address, one of its own. */
export async function createUser(
  call: RestCall,
  adminToken: string,
  email = `u${randomBytes(6).toString("hex")}@example.org`,
): Promise<TestUser> {
  const create = async (path: string, body?: unknown) => {
    const answer = await call("POST", path, { token: adminToken, body });
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { id } = await create("/v1/admin/users", { email });
  const { token: session } = await create(`/v1/admin/users/${id}/sessions`);
  return {
    id,
    email,
    session,
    createKey: async (fields = {}) => {
      const body = await create(`/v1/admin/users/${id}/keys`, { name: "test", ...fields });
      return { id: body.key.id, secret: body.secret };
    },
  };
}
