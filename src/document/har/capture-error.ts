/** Why a body is no capture to learn from. It holds nothing of the body but places in it. */
export class InvalidHarError extends Error {
  /** Where in the HAR: `log.entries[3].request.url`. */
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.name = "CaptureError";
    this.param = param;
  }
}
