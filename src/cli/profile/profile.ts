/** A server and the session that a user has there. */
export interface Profile {
  /** Address of the gateway, where alone the session is sent. */
  readonly url: string;
  /** Address of the tools; undefined: the usual one. */
  readonly toolsUrl?: string;
  /** Who is signed in. */
  readonly email: string;
  /** The session token, `cws_…`. */
  readonly session: string;
}

export interface NamedProfile extends Profile {
  readonly name: string;
}

/** What is used when nobody names a profile. */
export const usualProfile = "default";

/** What a profile may be called: it is a word of command lines. */
export const profileNameForm = /^[A-Za-z0-9][\w.-]{0,62}$/;
