import type { DatabaseChangeFeed } from "../platform/database/change-feed.ts";
import type { Principal } from "../platform/principal.ts";
import { TopicEmitter } from "../platform/topic-emitter.ts";

type WatchFeed = Pick<DatabaseChangeFeed, "on" | "onReset" | "state">;

/** Tables whose changes can end a credential. Their notices carry the id that a principal knows. */
const tables = ["caller_keys", "sessions", "users", "team_members"];

/** How often whoever holds a credential looks for itself while no changes arrive. */
const silentMs = 500;

/**
 * Tells who lets a credential in for longer than a moment that it may have ended:
 * the key or session itself, its user, its team's members. Whether it has is
 * theirs to find out.
 */
export class CredentialRevocationWatcher {
  readonly #feed: WatchFeed;
  readonly #listeners = new TopicEmitter();
  #watched = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: WatchFeed) {
    this.#feed = feed;
    for (const table of tables) feed.on(table, ({ id }) => this.#listeners.emit(id));
    // Changes may have been missed.
    feed.onReset(() => this.#listeners.emitAll());
  }

  /** Calls `changed` at every such change, until the function that is returned is called. */
  watch(principal: Principal, changed: () => void): () => void {
    const stops = idsOf(principal).map((id) => this.#listeners.on(id, changed));
    this.#watched += 1;
    this.#timer ??= setInterval(() => this.#pollWhileFeedSilent(), silentMs).unref();
    return () => {
      for (const stop of stops) stop();
      this.#watched -= 1;
      if (this.#watched === 0) this.#pause();
    };
  }

  /** A database that answers may have changed unheard; one that is away cannot. */
  #pollWhileFeedSilent(): void {
    if (this.#feed.state === "silent") this.#listeners.emitAll();
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function idsOf(principal: Principal): string[] {
  switch (principal.kind) {
    case "key":
      return [principal.keyId, principal.userId, principal.teamId].filter(isGiven);
    case "session":
      return [principal.sessionId, principal.userId];
    default:
      return [];
  }
}

function isGiven(id: string | undefined): id is string {
  return id !== undefined;
}
