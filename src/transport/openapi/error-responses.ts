import { errorCatalog, type ErrorCode } from "../../platform/errors.ts";
import type { OpenApiComponents } from "./components.ts";
import type { OpenApiRefObject, OpenApiResponse, OpenApiSchema } from "./document-types.ts";
import { openApiErrorSchemas } from "./error-schemas.ts";

/** In which form an operation writes its refusals. */
export type OpenApiErrorFormat = keyof typeof openApiErrorSchemas;

/** The refusals that an operation can give. */
export interface OperationErrors {
  readonly errorCodes: readonly ErrorCode[];
  readonly errorFormat: OpenApiErrorFormat;
  /** An upstream's own errors are passed on: with any status, and with codes of its own. */
  readonly relaysErrors?: boolean;
}

/** The refusals of an operation by status; equal ones are shared. */
export function buildErrorResponses(
  { errorCodes, errorFormat: errorForm, relaysErrors = false }: OperationErrors,
  components: OpenApiComponents,
): Record<string, OpenApiRefObject> {
  const statuses = [...new Set(errorCodes.map((code) => errorCatalog[code].status))];
  const origin = relaysErrors ? ["relayed", errorForm] : [errorForm];
  // Statuses are whole numbers, which objects keep in ascending order by themselves.
  const own = statuses.map((status) => {
    const ofStatus = errorCodes.filter((code) => errorCatalog[code].status === status);
    const codes = [...new Set(ofStatus)];
    const schema = relaysErrors ? referenceTo(errorForm) : narrowForm(codes, errorForm);
    const name = [...origin, ...codes].join(".");
    return [status.toString(), components.response(name, () => errorResponse(codes, schema))];
  });
  return Object.fromEntries(relaysErrors ? [...own, ...relayedErrors(errorForm, components)] : own);
}

/** What an upstream says with a status that none of our own codes has. */
function relayedErrors(
  form: OpenApiErrorFormat,
  components: OpenApiComponents,
): [string, OpenApiRefObject][] {
  const response = components.response(`relayed.${form}`, () => ({
    description: "The upstream's own status and message, in the dialect of the operation.",
    headers: { "x-request-id": { $ref: "#/components/headers/RequestId" } },
    content: { "application/json": { schema: referenceTo(form) } },
  }));
  return [
    ["4XX", response],
    ["5XX", response],
  ];
}

function errorResponse(codes: readonly ErrorCode[], schema: OpenApiSchema): OpenApiResponse {
  const description = codes
    .map((code) => `\`${code}\`: ${errorCatalog[code].summary}`)
    .join("\n\n");
  const canWait = codes.some((code) => code === "rate_limited" || code === "unavailable");
  return {
    description,
    headers: {
      "x-request-id": { $ref: "#/components/headers/RequestId" },
      ...(canWait && { "retry-after": { $ref: "#/components/headers/RetryAfter" } }),
    },
    content: { "application/json": { schema } },
  };
}

/** The body of the form, with the codes that this status can carry. */
function narrowForm(codes: readonly ErrorCode[], form: OpenApiErrorFormat): OpenApiSchema {
  return {
    allOf: [referenceTo(form), openApiErrorSchemas[form].narrow({ type: "string", enum: codes })],
  };
}

function referenceTo(form: OpenApiErrorFormat): OpenApiRefObject {
  return { $ref: `#/components/schemas/${openApiErrorSchemas[form].name}` };
}

/** The code of an option of the contract, which must be one of the catalogue. */
export function requireErrorCodeInCatalog(name: string): ErrorCode {
  if (isErrorCode(name)) return name;
  throw new Error(`the contract names the error code ${name}, which is not in the catalogue`);
}

function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorCatalog, name);
}
