/** What is learned does not depend on the order of captures, nor on their parts. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeLearnedPathTrees } from "../../../src/document/state/join-nodes.ts";
import { learnPathTreeFromHar } from "../../../src/document/state/learn-capture.ts";
import { arbitraryExchange } from "../arbitrary-exchange.ts";
import { harBytes, type Exchange } from "../har.ts";
import { documentText, learnAll } from "../learned-document.ts";

const capture = fc.array(arbitraryExchange, { maxLength: 12 });

function textOf(parts: readonly (readonly Exchange[])[]): string {
  return documentText(learnAll(parts.map(harBytes)));
}

describe("the merge of captures", () => {
  it("[learned.merged] [traffic.parts] gives the same bytes in any order and in any parts", () => {
    fc.assert(
      fc.property(capture, capture, fc.nat(12), (left, right, cut) => {
        const whole = textOf([[...left, ...right]]);
        expect(textOf([right, left])).toBe(whole);
        expect(textOf([left.slice(cut), right, left.slice(0, cut)])).toBe(whole);
        expect(textOf([[...right, ...left].toReversed()])).toBe(whole);
      }),
      { numRuns: 20 },
    );
  });

  it("[learned.equal-entries] counts an equal entry once, in whatever part it came", () => {
    fc.assert(
      fc.property(capture, (exchanges) => {
        const once = textOf([exchanges]);
        expect(textOf([exchanges, exchanges, [...exchanges, ...exchanges]])).toBe(once);
      }),
      { numRuns: 10 },
    );
  });

  it("is associative", () => {
    fc.assert(
      fc.property(capture, capture, capture, (one, two, three) => {
        const [a, b, c] = [one, two, three].map((part) => learnPathTreeFromHar(harBytes(part)));
        if (a === undefined || b === undefined || c === undefined) throw new Error("no trees");
        const left = documentText(mergeLearnedPathTrees(mergeLearnedPathTrees(a, b), c));
        expect(documentText(mergeLearnedPathTrees(a, mergeLearnedPathTrees(b, c)))).toBe(left);
      }),
      { numRuns: 10 },
    );
  });

  it("knows an entry again whatever the order of its members", () => {
    const bytes = harBytes([{ url: "https://one.test/orders" }]);
    const har = JSON.parse(new TextDecoder().decode(bytes)) as { log: { entries: object[] } };
    const turned = har.log.entries.map((entry) =>
      Object.fromEntries(Object.entries(entry).toReversed()),
    );
    const again = new TextEncoder().encode(JSON.stringify({ log: { entries: turned } }));
    expect(documentText(learnAll([bytes, again]))).toBe(documentText(learnAll([bytes])));
  });
});

describe("the limits", () => {
  const many = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index + from), 1]));

  it("[learned.limits] keep the same places in any order, and count the others", () => {
    const left = { url: "https://one.test/a", responseBody: many(3000) };
    const right = { url: "https://one.test/a", responseBody: many(3000, 2500) };
    const last = { url: "https://one.test/a", responseBody: many(3000, 9000) };
    const whole = textOf([[left, right, last]]);
    expect(textOf([[last], [right], [left]])).toBe(whole);
    expect(textOf([[right, left], [last]])).toBe(whole);
    const document = JSON.parse(whole) as { "x-svc-replay": { provenance: object } };
    expect(whole.match(/"type":"integer"/g)).toHaveLength(2000);
    expect(document["x-svc-replay"].provenance).toMatchObject({ truncated: 8500 - 2000 });
  });

  it("[learned.limits] keep 500 templates, the same in any order, and count the others", () => {
    const exchanges = Array.from({ length: 1300 }, (_, index) => ({
      url: `https://one.test/${nameOf(index)}`,
    }));
    const whole = textOf([exchanges]);
    expect(textOf([exchanges.slice(700).toReversed(), exchanges.slice(0, 700)])).toBe(whole);
    const document = JSON.parse(whole) as {
      "x-path-templates": string[];
      "x-svc-replay": { provenance: object };
    };
    expect(document["x-path-templates"]).toHaveLength(500);
    expect(document["x-svc-replay"].provenance).toMatchObject({ truncated: 800 });
  });

  it("[learned.limits] keep 32 levels of a body and of a path", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 10_000; level += 1) deep = { next: deep };
    const text = `{"next":`.repeat(10_000) + "1" + "}".repeat(10_000);
    const har = harBytes([
      { url: `https://one.test${"/a".repeat(40)}` },
      { url: "https://one.test/b" },
    ]);
    const capture = JSON.parse(new TextDecoder().decode(har)) as {
      log: { entries: { response: { content: object } }[] };
    };
    Object.assign(capture.log.entries[1]?.response.content ?? {}, {
      mimeType: "application/json",
      text,
    });
    const document = documentText(learnAll([new TextEncoder().encode(JSON.stringify(capture))]));
    expect(document.match(/"next":/g)).toHaveLength(32);
    expect(JSON.parse(document)).toMatchObject({
      "x-path-templates": ["/b"],
      "x-svc-replay": { provenance: { truncated: 2 } },
    });
  });
});

/** Distinct names that read like names. */
function nameOf(index: number): string {
  const syllables = "ba be bi bo da de di do la le li lo ma me mi mo".split(" ");
  const digits = index.toString(16).padStart(4, "0");
  return Array.from(digits, (digit) => syllables[Number.parseInt(digit, 16)]).join("");
}
