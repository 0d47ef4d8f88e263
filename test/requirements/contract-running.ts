import { tested, type Requirement } from "./requirement.ts";

/** Contract sections 1 and 2: starting it, environment. */
export const contractRunning: readonly Requirement[] = [
  ...tested("contract 1", [
    [
      "name.proto",
      "Packages causeway.<package>.v1, services <Name>Service, methods named like the operation ids.",
      "contract/proto > belong to services named after their package",
      "contract/proto > are exactly those of the seeds and the contract",
    ],
    [
      "name.json",
      "Connect JSON is proto JSON, REST JSON is what the seeds show.",
      "transport/interceptors/protocols > a handler gives the answer that it gives over REST",
      "contract/json/codec > decodes what it encodes: $typeName",
    ],
    [
      "start.npm",
      "`npm start` serves both services on an embedded PostgreSQL, with nothing configured.",
      "process/signals > drains a stream, refuses what is new, and stops the database last",
      "process/start > prints a line per service when it is ready",
      "process/command-line > takes a newcomer from nothing to a probed endpoint, in an empty directory",
    ],
    [
      "start.serve",
      "`causeway serve [all|gateway|tools]` starts one or both services.",
      "process/start > serve %s",
      "process/start > serve nonsense",
      "process/command-line > runs by npx, whatever Node the shell finds first",
    ],
    [
      "start.cli",
      "`causeway <noun> <verb>` is a typed Connect client of the server.",
      "cli/command-line > makes, changes and lists",
      "cli/command-name > gives every operation the words that people have in their scripts",
    ],
    [
      "start.test",
      "`npm test` needs no network: nothing leaves but through the checked dialer.",
      "architecture > dials out through the checked dialer only",
    ],
    [
      "start.ports",
      "Gateway 8080, tools 8081, host 127.0.0.1; port 0 picks a free one.",
      "platform/configuration/configuration > has a default that works for everything",
      "process/start > serve %s",
    ],
    [
      "start.one-port",
      "One port speaks REST, SSE, Connect, gRPC-web and gRPC over cleartext HTTP/2.",
      "transport/front/rpc > %s: calls and streams",
      "transport/front/rpc > server-sent events beside them",
      "contract/idempotency > gives its answer again over %s",
    ],
    [
      "start.reflection",
      "gRPC server reflection is there.",
      "transport/reflection/reflection-services > lists the services, its own included",
    ],
    [
      "start.ready-line",
      "Each service prints one ready line to stdout.",
      "process/start > prints a line per service when it is ready",
    ],
    [
      "start.logs",
      "Logs are JSON lines on stderr, readable lines on a terminal.",
      "process/logs > is JSON lines where stderr is no terminal",
      "platform/log > is readable where stderr is a terminal",
    ],
    [
      "start.health",
      "/healthz, /readyz and /metrics on both ports.",
      "contract/published-interface > answers /healthz, /readyz and /metrics without a credential",
    ],
    [
      "start.readyz",
      "/readyz means: database reachable, not draining.",
      "process/database-away > refuses what needs it in time",
      "process/signals > drains a stream, refuses what is new",
    ],
    [
      "start.drain",
      "A signal drains: 503 on /readyz, no new connections, streams go on, exit 0.",
      "process/signals > drains a stream, refuses what is new, and stops the database last",
    ],
    [
      "start.drain-deadline",
      "After CAUSEWAY_DRAIN_SECONDS streams end.",
      "process/drain > ends streams with their dialect's error event when the deadline has passed",
    ],
    [
      "start.second-signal",
      "A second signal a second later exits at once, an earlier one does not.",
      "process/drain > exits at once at a second signal a second later, and not before",
    ],
    [
      "start.npm-signal",
      "A signal to npm alone reaches the server.",
      "process/signals > drains a stream, refuses what is new",
    ],
    [
      "start.database-group",
      "The embedded database has its own process group and is stopped last.",
      "process/signals > stops the database last",
      "platform/database/embedded-server > a Ctrl-C does not reach it",
    ],
    [
      "start.bad-configuration",
      "Bad configuration: one line that names the setting, exit code 78, nothing started.",
      "process/configuration > a variable that cannot be used",
      "process/configuration > a configuration file that cannot be used",
    ],
  ]),
  ...tested("contract 1", [
    [
      "start.cli-tools",
      "`causeway health`, `audit` and `eol` call the tools.",
      "cli/tool-commands > tells a person the verdict",
      "cli/tool-commands > prints a row per package",
      "cli/tool-commands > prints the cycles of a product",
    ],
  ]),
  ...tested("contract 1", [
    [
      "start.cli-conformance",
      "`causeway conformance` scores any gateway's dialects.",
      "cli/conformance-command > prints a line for each case, its score, and ends with 0 when none failed",
      "conformance/own-gateway > our own gateway passes every case",
      "conformance/faulty-gateway > %s fails the cases about it",
      "conformance/accumulate > is what the official client makes of any stream of ours",
    ],
  ]),

  ...tested("contract 2", [
    [
      "environment.unknown",
      "An unknown CAUSEWAY_ variable is a warning.",
      "process/configuration > warns of a variable that it does not know, and starts",
      "platform/configuration/configuration > names what this version does not know and nothing else",
    ],
    [
      "environment.malformed",
      "A malformed value is an error.",
      "platform/configuration/configuration > refuses %j and names the setting",
    ],
    [
      "environment.database",
      "DATABASE_URL is a PostgreSQL 14 or later.",
      "platform/database/check-server > a server older than 14 is refused",
    ],
    [
      "environment.pooler",
      "A transaction pooler is detected and refused.",
      "platform/database/check-server > a transaction pooler is refused, and the message says what to do",
    ],
    [
      "environment.data-dir",
      "The data directory holds database, secrets and outbox.",
      "process/start > keeps %s to its user",
      "platform/mail/mail-transport > writes one private file per message and names it in the log",
    ],
    [
      "environment.secret-key",
      "CAUSEWAY_SECRET_KEY is generated with mode 0600, or required with DATABASE_URL.",
      "platform/configuration/configuration > generates both once, with mode 0600",
      "process/configuration > a variable that cannot be used",
    ],
    [
      "environment.secret-keys",
      "Of a list the first key encrypts and all decrypt.",
      "platform/crypto/secret-box > moves a value to the first key and keeps the ciphertext",
      "account/sealed-settings > a wrong master key is a configuration error, an added one is not",
    ],
    [
      "environment.rewrap",
      "`causeway keys rewrap` moves everything to the first key.",
      "account/sealed-settings > moves everything to the first key, once, and nothing is lost",
      "process/command-line > moves what is sealed to a new key, which then serves alone",
    ],
    [
      "environment.admin-token",
      "The operator token is generated with mode 0600 in embedded mode.",
      "platform/configuration/configuration > generates both once, with mode 0600",
    ],
    [
      "environment.operator-off",
      "With DATABASE_URL and no token the operator API is 404.",
      "contract/operator > every operation of the operator is 404, whoever asks",
    ],
    [
      "environment.public-url",
      "CAUSEWAY_PUBLIC_URL, else the listening address, is used in links.",
      "contract/sessions > mails digits alone on a line and a link with a code of its own",
      "contract/refusals > carries code, message, doc_url and request_id",
    ],
    [
      "environment.config",
      "CAUSEWAY_CONFIG names a JSON or YAML file.",
      "platform/configuration/configuration > reads every key of the contract's example, as YAML and as JSON",
    ],
    [
      "environment.allow",
      "CAUSEWAY_UPSTREAM_ALLOW admits private and plain addresses by host or CIDR and port.",
      "platform/dial/allow-list > %s allows %s with port %d",
      "platform/dial/dialer > wants TLS unless the name or all its addresses are allowed",
    ],
    [
      "environment.allow-line",
      "The refusal prints the line that would allow it.",
      "platform/dial/dialer > names %s as sent and prints the line that allows it",
      "contract/endpoints > refuses %s, names what was sent, and saves nothing",
    ],
    [
      "environment.never",
      "Link-local, metadata, multicast and own listeners are never allowed.",
      "platform/dial/dialer > refuses %s whatever is allowed",
      "platform/dial/dialer > refuses its own listener on %s although it is allowed",
    ],
    [
      "environment.file-allowed",
      "Base addresses of the configuration file count as allowed.",
      "platform/dial/dialer > takes what the operator set in the configuration file",
      "contract/vendors > links a key, and answers with the vendor",
    ],
    [
      "environment.proxies",
      "x-forwarded-for is believed from trusted proxies only.",
      "transport/interceptors/request-scope > is the peer's without a trusted proxy",
      "transport/interceptors/request-scope > is the first that no trusted proxy has",
    ],
    [
      "environment.log-level",
      "CAUSEWAY_LOG_LEVEL is a pino level, info by default.",
      "platform/configuration/configuration > has a default that works for everything",
      "platform/configuration/configuration > refuses %j and names the setting",
    ],
    [
      "embedded.socket",
      "The embedded server is a child process that listens on a socket only.",
      "platform/database/embedded-server > holds a server without TCP port, with a private socket",
    ],
    [
      "embedded.root",
      "As root it runs under an unprivileged account, the directory opened to 0711.",
      "platform/database/embedded-server > as root: in the directory, opened to 0711, under another account",
    ],
    [
      "embedded.closed-parent",
      "Below a closed parent the cluster lies in the system's state directory.",
      "platform/database/embedded-server > as root, a clone below a 0700 directory, installed without scripts",
    ],
    [
      "embedded.long-path",
      "A socket path over 100 bytes moves to a 0700 directory under the temporary one.",
      "platform/database/embedded-server > a long path: the socket lies in a private directory",
    ],
    [
      "embedded.join",
      "A second process, or a restart, joins the running server; the last one out stops it.",
      "process/kill > shares one database between two processes, which survive its death; the last one stops it",
      "platform/database/embedded-server > a server left over from kill -9 is joined",
      "platform/database/embedded-server > that is stopped while its database starts again leaves none running",
    ],
    [
      "first-start.owner",
      "The first embedded start makes owner@localhost with a key of every scope.",
      "process/start > gives the first key every scope",
      "account/first-start > of processes that start at once one makes the owner",
    ],
    [
      "first-start.key",
      "The key goes to first-key (0600) and into a curl line that works.",
      "process/start > prints a line for curl that works as it stands",
      "process/start > keeps %s to its user",
    ],
    [
      "first-start.never",
      "With DATABASE_URL there is no such user.",
      "process/start > prints the ready lines only, and writes no secret",
    ],
  ]),
  ...tested("contract 2", [
    [
      "environment.byo-url",
      "byo_url uses the public address.",
      "wallet/wallet > must have the most that a call can cost: 402 with byo_url",
    ],
  ]),
  ...tested("contract 2", [
    [
      "environment.redis",
      "CAUSEWAY_REDIS_URL shares request buckets among machines.",
      "redis/processes > two processes, 100 requests a minute, 300 calls: 100 pass",
      "redis/processes > when Redis is killed calls go on, each process by itself",
      "redis/shared-buckets > reads the same, bit for bit, as one in the process at the same times",
      "app/shared-request-limits > a model call is counted in Redis, by the id of its key",
      "app/shared-request-limits > a request of the tools is counted in Redis, by its address",
    ],
  ]),
  ...tested("contract 2", [
    [
      "environment.workers",
      "CAUSEWAY_WORKERS is the number of gateway processes; auto is the number of cores.",
      "platform/configuration/configuration > takes a number of workers, or auto for as many as the machine runs at once",
      "process/workers > hands connections to both",
      "process/workers > counts the calls of a key in one bucket",
      "process/workers > answers /metrics for all gateways, gauges included",
      "process/workers > replaces a gateway that dies, while the other goes on; no counter falls",
      "process/workers-signals > drains the streams of every worker and stops the database last",
      "process/workers-signals > kill -9 of the primary: the workers drain, end, and leave no database running",
    ],
  ]),
  ...tested("contract 2", [
    [
      "environment.invite-link",
      "Invite links use the public address.",
      "team/invite-mail > has arrived with both parts and the link below the public address",
    ],
  ]),
  ...tested("contract 14", [
    [
      "start.root",
      "GET / on both ports: a page for browsers, else name, version, docs and openapi.",
      "contract/root > tells programs that accept %s what it is and where it is described",
      "contract/root > is a page for who accepts %s, and every link of it leads somewhere",
      "contract/root > has a page that runs nothing and names no address",
    ],
  ]),
  ...tested("contract 11", [
    [
      "start.head",
      "HEAD is answered wherever GET is.",
      "contract/head > is answered as GET is, without a body, at every path",
      "contract/head > is answered over HTTP/2 as well",
      "contract/root > answers HEAD alike, without a body",
    ],
  ]),
];
