/** The Helm chart, on machines without Helm; `npm run lint:deploy` has Helm read it too. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import Ajv from "ajv-draft-04";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { findUnknownEnvironmentVariables } from "../../src/platform/configuration/environment.ts";

const { version } = manifest;

type Tree = Readonly<Record<string, unknown>>;

const folder = "deploy/helm/causeway";
const yaml = async (path: string) => parse(await readFile(path, "utf8")) as Tree;
const chart = await yaml(`${folder}/Chart.yaml`);
const values = await yaml(`${folder}/values.yaml`);
const schema = JSON.parse(await readFile(`${folder}/values.schema.json`, "utf8")) as Tree;
const templates = await Promise.all(
  globSync(`${folder}/templates/*`).map(async (path) => ({
    path,
    text: await readFile(path, "utf8"),
  })),
);
const all = templates.map(({ text }) => text).join("\n");
const used = new Set(
  [...all.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = ""]) => path.slice(1)),
);

function valueAt(path: string): unknown {
  return path.split(".").reduce<unknown>((tree, key) => (tree as Tree | undefined)?.[key], values);
}

/** Paths of the values; what a template may take whole ends at its own key. */
function pathsOf(tree: Tree, prefix = ""): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    const isTree = typeof value === "object" && value !== null && !Array.isArray(value);
    return isTree && !used.has(path) ? pathsOf(value as Tree, `${path}.`) : [path];
  });
}

const accepts = new Ajv.default({ allErrors: true }).compile(schema);

describe("the chart", () => {
  it("is of the release of this program", () => {
    expect(chart).toMatchObject({ apiVersion: "v2", name: "causeway", appVersion: version });
    expect(chart["version"]).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("has values that its schema accepts", () => {
    accepts(values);
    expect(accepts.errors ?? []).toEqual([]);
  });

  it.each([
    { replica: 3 },
    { replicas: 0 },
    { drain: { preStopSeconds: 5, seconds: 30, closingSeconds: 1 } },
    { secrets: { databaseUrl: "mysql://here" } },
    { env: { "not a name": "1" } },
  ])("has a schema that refuses %j", (wrong) => {
    expect(accepts({ ...values, ...wrong })).toBe(false);
  });

  it("uses no value that it does not have", () => {
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((path) => valueAt(path) === undefined)).toEqual([]);
  });

  it("has no value that it does not use", () => {
    expect(pathsOf(values).filter((path) => !used.has(path))).toEqual([]);
  });

  it("describes every value in its schema", () => {
    const described = (tree: Tree, path: string): boolean => {
      const [key = "", ...rest] = path.split(".");
      const inner = (tree["properties"] as Tree | undefined)?.[key] as Tree | undefined;
      if (inner === undefined || rest.length === 0) return inner !== undefined;
      return described(inner, rest.join("."));
    };
    expect(pathsOf(values).filter((path) => !described(schema, path))).toEqual([]);
  });

  it.each(templates)("closes what it opens: $path", ({ text }) => {
    const actions = [...text.matchAll(/\{\{-?\s*(.*?)\s*-?\}\}/gs)].map(
      ([, action = ""]) => action,
    );
    expect(text.split("{{").length).toBe(text.split("}}").length);
    const opened = actions.filter((it) => /^(?:if|with|range|define|block)\b/.test(it));
    expect(actions.filter((it) => it === "end")).toHaveLength(opened.length);
  });

  it("includes only what it defines", () => {
    const defined = new Set([...all.matchAll(/define "([^"]+)"/g)].map(([, name]) => name));
    const included = [...all.matchAll(/include "([^"]+)"/g)].map(([, name]) => name);
    expect([...new Set(included)].filter((name) => !defined.has(name))).toEqual([]);
  });

  it("sets variables that the server knows", () => {
    const names = [...all.matchAll(/\b(CAUSEWAY_\w+)/g)].map(([, name = ""]) => [name, "x"]);
    expect(names.length).toBeGreaterThan(8);
    expect(
      findUnknownEnvironmentVariables(Object.fromEntries(names) as Record<string, string>),
    ).toEqual([]);
  });

  it("probes what the server answers, and gives it longer than it drains", () => {
    const deployment = templates.find(({ path }) => path.endsWith("deployment.yaml"))?.text ?? "";
    expect(deployment).toMatch(/readinessProbe:\s+httpGet: \{ path: \/readyz, port: gateway \}/);
    expect(deployment).toMatch(/livenessProbe:\s+httpGet: \{ path: \/healthz, port: gateway \}/);
    expect(deployment).toContain(
      "terminationGracePeriodSeconds: {{ add .Values.drain.preStopSeconds .Values.drain.seconds .Values.drain.closingSeconds }}",
    );
    expect(deployment).toContain("runAsUser: 10001");
  });
});
