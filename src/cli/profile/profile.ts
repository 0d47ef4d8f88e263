/** The user that a first start makes for whoever owns the machine. */
export const initialOwnerEmail = "owner@localhost";

/** A caller key that was created for a profile. */
export interface ProfileCallerKey {
  /** `key_…` */
  readonly id: string;
  /** `cwk_…` */
  readonly secret: string;
}

/** A server and the session that a user has there. */
export interface CliProfile {
  /** Address of the gateway, where alone the session is sent. */
  readonly url: string;
  /** Address of the tools; undefined: the usual one. */
  readonly toolsUrl?: string;
  /** Who is signed in. */
  readonly email: string;
  /** The session token, `cws_…`. */
  readonly session: string;
  /** The key for what a session may not do; undefined: none was created. */
  readonly key?: ProfileCallerKey;
}

export interface NamedProfile extends CliProfile {
  readonly name: string;
}

/** What is used when nobody names a profile. */
export const defaultProfileName = "default";

/** What a profile may be called: it is a word of command lines. */
export const profileNamePattern = /^[A-Za-z0-9][\w.-]{0,62}$/;
