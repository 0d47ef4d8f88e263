/** Programs in other languages call the server with the code of gen/, over Connect and over gRPC. */
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { repository } from "../../scripts/run-tool.ts";
import { usePolyglotWorld } from "./polyglot-world.ts";

const world = usePolyglotWorld();

const protocols = ["connect", "grpc"] as const;

/** What both languages have to have seen. */
function expected(language: string, protocol: string, invalidArgument: string): unknown {
  const name = `${language} over ${protocol}`;
  return {
    team: name,
    listed: [name],
    models: 2,
    changed: `${language.toLowerCase()}-${protocol}`,
    rev_rose: true,
    key: name,
    secret: "cwk_",
    verdict: expect.stringMatching(/^(?:VERDICT_)?ACTIVE$/),
    refusal: {
      rpc_code: invalidArgument,
      code: "invalid_request",
      param: "name",
      doc_url: `${world.url}/docs/errors#invalid_request`,
      request_id: expect.stringMatching(/^req_/),
    },
  };
}

describe.skipIf(inject("goJourney") === "")("Go", () => {
  it.each(protocols)(
    "[packages.go] [packages.python] calls every part of the server over %s",
    async (protocol) => {
      const seen: unknown = JSON.parse(await world.run(inject("goJourney"), [protocol]));
      const code = protocol === "grpc" ? "invalidargument" : "invalid_argument";
      expect(seen).toEqual(expected("Go", protocol, code));
    },
  );
});

describe.skipIf(inject("python") === "")("Python", () => {
  it.each(protocols)("calls every part of the server over %s", async (protocol) => {
    const program = join(import.meta.dirname, "python/journey.py");
    const environment = {
      PYTHONPATH: join(repository, "gen/python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const said = await world.run(inject("python"), [program, protocol], environment);
    expect(JSON.parse(said)).toEqual(expected("Python", protocol, "invalid_argument"));
  });
});
