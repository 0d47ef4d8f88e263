import { fastify, type FastifyRequest } from "fastify";

/** Why a value does not fit the schema at a JSON pointer of a document; undefined when it does. */
export type Misfit = (pointer: string, json: unknown) => string | undefined;

/** The validator that Fastify brings, with the schemas of an OpenAPI document. */
export async function openValidator(document: { readonly components?: unknown }): Promise<Misfit> {
  const customOptions = { coerceTypes: false, removeAdditional: false, strict: false };
  const app = fastify({ ajv: { customOptions } });
  app.addSchema({ $id: "document", components: document.components });
  const captured: FastifyRequest[] = [];
  app.get("/", (request) => {
    captured.push(request);
    return {};
  });
  await app.inject("/");
  // The same object each time, because compiled validators are found by it.
  const schemas = new Map<string, object>();
  return (pointer, json) => {
    const schema = schemas.get(pointer) ?? { $ref: `document${pointer}` };
    schemas.set(pointer, schema);
    const validate = captured[0]?.compileValidationSchema(schema);
    return validate?.(json) === true ? undefined : JSON.stringify([json, validate?.errors]);
  };
}
