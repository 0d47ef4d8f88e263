import type { Installed, Packages } from "../packages.ts";
import type { Dialect } from "../strict-environment.ts";
import type { SessionCheck, Session } from "./session.ts";

/** A client of the bench. */
export type Client = CommandClient | ProgramClient;

interface ClientHead {
  readonly name: string;
  readonly packages: Packages;
  /** The dialects that it can call with. */
  readonly speaks: readonly Dialect[];
  readonly proof: SessionCheck;
}

/** A program that a person types into; it is given one prompt at a time. */
export interface CommandClient extends ClientHead {
  readonly kind: "command";
  /** Each is a process of its own, which goes on with the conversation of the one before. */
  readonly prompts: (session: Session) => readonly string[];
  /** Its configuration: files by their path in its home, or whole. */
  readonly files: (session: Session) => Readonly<Record<string, string>>;
  readonly environment: (
    session: Session,
    installed: Installed,
  ) => Readonly<Record<string, string>>;
  /** The command and its words; it goes on with its last conversation if `isResumed`. */
  readonly command: (session: Session, installed: Installed, turn: Turn) => Command;
}

export interface Turn {
  readonly prompt: string;
  readonly isResumed: boolean;
}

export interface Command {
  readonly words: readonly [string, ...string[]];
  /** What is piped into it. */
  readonly input?: string;
}

/** A library; a program of this repository (`programs/`) uses it for all sessions one after the other. */
export interface ProgramClient extends ClientHead {
  readonly kind: "program";
  /** In `programs/`. */
  readonly program: string;
}
