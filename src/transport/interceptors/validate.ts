import { setImmediate as nextTurn } from "node:timers/promises";
import {
  create,
  type DescMessage,
  type DescOneof,
  type DescService,
  type Message,
} from "@bufbuild/protobuf";
import type { Path } from "@bufbuild/protobuf/reflect";
import type { Validator, Violation } from "@bufbuild/protovalidate";
import type { Interceptor } from "@connectrpc/connect";
import { ApiError, invalidRequestError } from "../../platform/errors.ts";
import { asProtoMessageRecord } from "../../contract/message-record.ts";
import { compileRequestTextSanitizer } from "./prepare-text.ts";

/**
 * Checks request messages against the rules in the proto files, over every
 * protocol, after their text was trimmed. The first violation becomes a 400 whose
 * `param` is the field's path as REST spells it.
 */
export class RequestValidator {
  #loading: Promise<Validator> | undefined;

  /** Rejects with a 400 for an invalid message. Changes its text in place, see `compileRequestTextSanitizer`. */
  async check(desc: DescMessage, message: Message): Promise<void> {
    compileRequestTextSanitizer(desc)(asProtoMessageRecord(message), "");
    const validator = await this.#validator();
    const result = validator.validate(desc, message);
    if (result.kind === "error") throw result.error;
    const [violation] = result.violations ?? [];
    if (violation !== undefined) throw violationError(violation);
  }

  /**
   * Compiles the rules of every request of the services, so that callers need not
   * wait for it: about 350 ms of work, with a turn of the event loop before each
   * request. Rejects for a rule that cannot be compiled.
   */
  async preload(services: readonly DescService[]): Promise<void> {
    await nextTurn();
    const validator = await this.#validator();
    for (const { input } of services.flatMap((service) => service.methods)) {
      compileRequestTextSanitizer(input);
      const result = validator.validate(input, create(input));
      if (result.kind === "error") throw result.error;
      await nextTurn();
    }
  }

  /** Loaded with the first use: the language of the rules is 60 ms of code that no start has to wait for. */
  #validator(): Promise<Validator> {
    this.#loading ??= loadValidator();
    return this.#loading;
  }
}

async function loadValidator(): Promise<Validator> {
  const { createValidator } = await import("@bufbuild/protovalidate");
  return createValidator({ failFast: true });
}

/** A rule of a whole message has no path; its message says what is missing. */
function violationError(violation: Violation): ApiError {
  const last = violation.field.at(-1);
  if (last?.kind === "oneof") return noneChosen(violation.field.slice(0, -1), last);
  const param = pathText(violation.field);
  if (param === "")
    return new ApiError("invalid_request", `The request is invalid: ${violation.message}.`);
  return invalidRequestError(param, `\`${param}\` is invalid: ${violation.message}.`);
}

/** A oneof has no name over REST: the first of its members stands for all. */
function noneChosen(parent: Path, { fields }: DescOneof): ApiError {
  const params = fields.map((field) => pathText([...parent, field]));
  const choice = params.map((param) => `\`${param}\``).join(" or ");
  return invalidRequestError(params[0] ?? "", `One of the fields ${choice} is required.`);
}

/** `scopes[0]`, `headers.x-tenant`, `budget.window`: names of the proto file, joined by dots. */
function pathText(path: Path): string {
  return path.reduce((text, element) => {
    if (element.kind === "list_sub") return `${text}[${element.index.toString()}]`;
    const name = element.kind === "map_sub" ? String(element.key) : element.name;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

/** The interceptor that checks each request message of a call. */
export function createValidationInterceptor(validator: RequestValidator): Interceptor {
  return (next) => async (request) => {
    const { input } = request.method;
    if (!request.stream) {
      await validator.check(input, request.message);
      return next(request);
    }
    return next({ ...request, message: checkEach(request.message, input, validator) });
  };
}

async function* checkEach<Item extends Message>(
  messages: AsyncIterable<Item>,
  desc: DescMessage,
  validator: RequestValidator,
): AsyncIterable<Item> {
  for await (const message of messages) {
    await validator.check(desc, message);
    yield message;
  }
}
