/** What is known of a model call when it has ended; no header and no body is in it. */
export interface CallRecord {
  readonly requestId: string;
  /** Operation id of the seed. */
  readonly operation: "createChatCompletion" | "createResponse" | "createMessage";
  readonly lane: "pass_through" | "transcode" | undefined;
  readonly route: "byo" | "credits" | undefined;
  readonly keyId: string | undefined;
  readonly accountId: string | undefined;
  /** Canonical id; undefined when the call was refused before its model was known. */
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** HTTP status; 499: the caller hung up. */
  readonly status: number;
  /** Code of a refusal or failure, the event of a stream that failed included. */
  readonly errorCode: string | undefined;
  readonly isAborted: boolean;
  readonly attempts: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
  /** Times in milliseconds. */
  readonly totalMs: number;
  readonly upstreamMs: number;
  /** From the dial to the first byte of the answer's body. */
  readonly firstByteMs: number | undefined;
}
