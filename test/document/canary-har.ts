/** What stands everywhere in a capture. */
export interface Canary {
  /** Where a name can stand too: keys, names of parameters, segments of paths. */
  readonly name: string;
  /** Where only values stand. */
  readonly value: string;
}

/** A HAR with a canary in every string that a capture can have. */
export function canaryHar(canary: Canary) {
  const { value } = canary;
  const entries = [
    jsonExchange(canary),
    formExchange(canary),
    multipartExchange(canary),
    elsewhere(canary),
    ...ordinary,
  ];
  return {
    log: {
      version: value,
      creator: { name: value, version: value, comment: value },
      browser: { name: value, version: value },
      pages: [{ startedDateTime: value, id: value, title: value, pageTimings: { comment: value } }],
      entries,
      comment: value,
      _custom: { [value]: value },
    },
  };
}

function frame({ name, value }: Canary) {
  return {
    pageref: value,
    startedDateTime: "2026-11-20T10:00:00.000Z",
    time: 3,
    serverIPAddress: value,
    connection: value,
    comment: value,
    cache: { beforeRequest: { expires: value, eTag: value, lastAccess: value } },
    timings: { send: 1, wait: 1, receive: 1, comment: value },
    _initiator: { [name]: value },
  };
}

function headersOf({ name, value }: Canary) {
  const names = ["authorization", "x-api-key", "x-tenant", "date", "referer", "origin", name];
  return names.map((header) => ({ name: header, value, comment: value }));
}

function cookiesOf({ name, value }: Canary) {
  return [{ name, value, path: value, domain: value, expires: value, comment: value }];
}

function addressOf({ name, value }: Canary, path: string): string {
  const [key, text] = [encodeURIComponent(name), encodeURIComponent(value)];
  return `https://${key.replaceAll(/[^a-z0-9]/gi, "")}:${text}@api.test${path}?${key}=${text}&filter=${text}#${text}`;
}

/** With the canary as key, as value, in strings and as a key of a map in a list. */
function jsonOf({ name, value }: Canary): unknown {
  return {
    [name]: value,
    note: value,
    list: [value, { [name]: [value] }],
    byId: { [name]: { [name]: { name: value } } },
  };
}

function answerOf(canary: Canary) {
  const { value } = canary;
  return {
    status: 200,
    statusText: value,
    httpVersion: value,
    redirectURL: value,
    headers: headersOf(canary),
    cookies: cookiesOf(canary),
    content: {
      size: 1,
      mimeType: `application/json; profile="${value.replaceAll(/[^\w-]/g, "")}"`,
      text: Buffer.from(JSON.stringify(jsonOf(canary))).toString("base64"),
      encoding: "base64",
      comment: value,
    },
    comment: value,
  };
}

function jsonExchange(canary: Canary) {
  const { name, value } = canary;
  return {
    ...frame(canary),
    request: {
      method: "POST",
      url: addressOf(canary, `/v1/customers/${encodeURIComponent(name)}/notes`),
      httpVersion: value,
      headers: headersOf(canary),
      cookies: cookiesOf(canary),
      queryString: [{ name, value, comment: value }],
      postData: {
        mimeType: "application/json",
        text: JSON.stringify(jsonOf(canary)),
        comment: value,
      },
      comment: value,
    },
    response: answerOf(canary),
  };
}

function formExchange(canary: Canary) {
  const { name, value } = canary;
  const text = new URLSearchParams([
    [name, value],
    ["note", value],
  ]).toString();
  return {
    ...frame(canary),
    request: {
      method: "PUT",
      url: addressOf(canary, `/${encodeURIComponent(name)}`),
      headers: [],
      cookies: [],
      queryString: [],
      postData: { mimeType: "application/x-www-form-urlencoded", text },
    },
    response: { ...answerOf(canary), content: { mimeType: `text/${value}`, text: value } },
  };
}

function multipartExchange(canary: Canary) {
  const { name, value } = canary;
  return {
    ...frame(canary),
    request: {
      method: "POST",
      url: addressOf(canary, "/v1/uploads"),
      headers: [],
      cookies: [],
      queryString: [],
      postData: {
        mimeType: `multipart/form-data; boundary=${value}`,
        params: [{ name, value, fileName: value, contentType: value, comment: value }],
      },
    },
    response: answerOf(canary),
  };
}

/** Another host, whose name is the canary. */
function elsewhere(canary: Canary) {
  const host = canary.name.replaceAll(/[^a-z0-9]/gi, "").slice(0, 40);
  return {
    ...jsonExchange(canary),
    request: { method: "GET", url: `https://${host}.test/v1/customers`, headers: [], cookies: [] },
  };
}

/** So that there is something to learn. */
const ordinary = [
  {
    startedDateTime: "2026-11-20T10:00:00.000Z",
    request: { method: "GET", url: "https://api.test/v1/customers", headers: [], cookies: [] },
    response: { status: 200, content: { mimeType: "application/json", text: '{"total":1}' } },
  },
];
