import type { StrictExchange } from "../../support/strict-upstream/strict-upstream.ts";
import { startDeadline, tooLate } from "../deadline.ts";
import { install } from "../packages.ts";
import { openStrictEnvironment, type StrictEnvironment } from "../strict-environment.ts";
import { Workspace } from "../workspace.ts";
import type { Client } from "./client.ts";
import { runClient, type SessionOutcome } from "./run-client.ts";
import type { Session } from "./session.ts";

/** What became of a client. */
export interface ClientOutcome {
  readonly client: Client;
  /** Undefined: it could not be installed, or there was no time left. */
  readonly version: string | undefined;
  /** Why not. */
  readonly absent: string | undefined;
  readonly sessions: readonly SessionOutcome[];
}

/** So many clients are installed and run side by side. */
const atOnce = 2;

/** Installs and runs the clients in front of a gateway of their own, and leaves nothing behind. */
export async function runClients(
  clients: readonly Client[],
  say: (text: string) => void,
): Promise<readonly ClientOutcome[]> {
  await using workshop = await Workspace.open("clients");
  const ground = await openStrictEnvironment();
  try {
    return await new ClientsRun(workshop, ground, say).run(clients);
  } finally {
    await ground.close();
  }
}

class ClientsRun {
  readonly #workshop: Workspace;
  readonly #ground: StrictEnvironment;
  readonly #say: (text: string) => void;
  readonly #heard: StrictExchange[] = [];
  readonly #isTooLate = startDeadline();
  #sessions = 0;

  constructor(workshop: Workspace, ground: StrictEnvironment, say: (text: string) => void) {
    this.#workshop = workshop;
    this.#ground = ground;
    this.#say = say;
  }

  async run(clients: readonly Client[]): Promise<readonly ClientOutcome[]> {
    const outcomes = new Map<Client, ClientOutcome>();
    const waiting = [...clients];
    const work = async (): Promise<void> => {
      for (let client = waiting.shift(); client !== undefined; client = waiting.shift()) {
        const outcome = await this.#runOne(client);
        outcomes.set(client, outcome);
        this.#say(progressOf(outcome));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return clients.flatMap((client) => outcomes.get(client) ?? []);
  }

  async #runOne(client: Client): Promise<ClientOutcome> {
    if (this.#isTooLate()) {
      return { client, version: undefined, absent: tooLate, sessions: [] };
    }
    const folder = await this.#workshop.newFolder(client.name.replaceAll(/\W+/g, "-"), "packages");
    const installed = await install(client.packages, folder).catch(String);
    if (typeof installed === "string") {
      return { client, version: undefined, absent: installed, sessions: [] };
    }
    const sessions = await this.#openSessions(client);
    const outcomes = await runClient(client, installed, sessions, () => this.#exchanges());
    return { client, version: installed.version, absent: undefined, sessions: outcomes };
  }

  async #openSessions({ name, speaks }: Client): Promise<readonly Session[]> {
    const sessions: Session[] = [];
    for (const dialect of speaks) {
      for (const lane of this.#ground.lanes) {
        this.#sessions += 1;
        const id = `session-${String(this.#sessions).padStart(4, "0")}`;
        const place = [name.replaceAll(/\W+/g, "-"), id];
        const home = await this.#workshop.newFolder(...place, "home");
        const directory = await this.#workshop.newFolder(...place, "work");
        sessions.push({ id, dialect, lane, url: this.#ground.url, home, directory });
      }
    }
    return sessions;
  }

  #exchanges(): readonly StrictExchange[] {
    this.#heard.push(...this.#ground.takeExchanges());
    return this.#heard;
  }
}

function progressOf({ client, version, absent, sessions }: ClientOutcome): string {
  if (absent !== undefined) return `${client.name}: left out: ${absent}`;
  const broken = sessions.filter(({ fault }) => fault !== undefined);
  const lines = broken.map(
    ({ session, fault }) => `  ${session.dialect} over ${session.lane.dialect}: ${fault}`,
  );
  const whole = `${sessions.length - broken.length} of ${sessions.length} sessions whole`;
  return [`${client.name} ${version}: ${whole}`, ...lines].join("\n");
}
