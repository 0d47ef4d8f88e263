import { errorCatalogue, type ErrorCode } from "../../platform/errors.ts";
import type { Components } from "./components.ts";
import type { Reference, Response, Schema } from "./document-types.ts";
import { errorSchemas } from "./error-schemas.ts";

/** In which form an operation writes its refusals (contract section 6, error body). */
export type ErrorForm = keyof typeof errorSchemas;

/** The refusals of an operation that can give the codes, by status; equal ones are shared. */
export function errorResponses(
  codes: readonly ErrorCode[],
  form: ErrorForm,
  components: Components,
): Record<string, Reference> {
  const statuses = [...new Set(codes.map((code) => errorCatalogue[code].status))];
  // Statuses are whole numbers, which objects keep in ascending order by themselves.
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => errorCatalogue[code].status === status);
      const distinct = [...new Set(ofStatus)];
      const name = [form, ...distinct].join(".");
      return [status.toString(), components.response(name, () => errorResponse(distinct, form))];
    }),
  );
}

function errorResponse(codes: readonly ErrorCode[], form: ErrorForm): Response {
  const description = codes
    .map((code) => `\`${code}\`: ${errorCatalogue[code].summary}`)
    .join("\n\n");
  const canWait = codes.some((code) => code === "rate_limited" || code === "unavailable");
  return {
    description,
    headers: {
      "x-request-id": { $ref: "#/components/headers/RequestId" },
      ...(canWait && { "retry-after": { $ref: "#/components/headers/RetryAfter" } }),
    },
    content: { "application/json": { schema: schemaOf(codes, form) } },
  };
}

/** The body of the form, with the codes that this status can carry. */
function schemaOf(codes: readonly ErrorCode[], form: ErrorForm): Schema {
  const { name, narrow } = errorSchemas[form];
  const reference = { $ref: `#/components/schemas/${name}` };
  return { allOf: [reference, narrow({ type: "string", enum: codes })] };
}

/** The code of an option of the contract, which must be one of the catalogue. */
export function errorCodeNamed(name: string): ErrorCode {
  if (isErrorCode(name)) return name;
  throw new Error(`the contract names the error code ${name}, which is not in the catalogue`);
}

function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(errorCatalogue, name);
}
