import { once } from "node:events";
import { connect as connectHttp2, type Http2ServerRequest, type Http2Session } from "node:http2";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { startFront, until } from "./start-front.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

it("HTTP/2 sessions leave memory as soon as they are closed", async () => {
  const sessions: WeakRef<Http2Session>[] = [];
  const { front, url } = await startFront((app) => {
    app.get("/ok", (request) => {
      const { session } = (request.raw as unknown as Http2ServerRequest).stream;
      if (session !== undefined) sessions.push(new WeakRef(session));
      return {};
    });
  });
  for (let opened = 0; opened < 20; opened += 1) {
    const session = connectHttp2(url);
    await session.request({ ":path": "/ok" }).resume().toArray();
    session.close();
    await once(session, "close");
  }
  await until(() => front.connectionCount === 0);
  await until(() => {
    collectGarbage();
    return sessions.filter((session) => session.deref() !== undefined).length <= 1;
  });
  expect(sessions).toHaveLength(20);
});
