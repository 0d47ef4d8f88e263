import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** OTLP numbers: 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** OTLP numbers: 2 is an error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, string | number>>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface OtlpExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, "attributes" | "status"> & {
        readonly attributes: readonly OtlpAttribute[];
        readonly status: { readonly code?: number };
      })[];
    }[];
  }[];
}

/** An OTLP/HTTP collector on a free port that keeps the spans it gets. */
export async function startCollector(): Promise<{ url: string; spans: CollectedSpan[] }> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      spans.push(...readSpans((await json(request)) as OtlpExport));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

function readSpans({ resourceSpans }: OtlpExport): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: readAttributes(span.attributes),
        status: span.status.code ?? 0,
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(list: readonly OtlpAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? ""]),
  );
}
