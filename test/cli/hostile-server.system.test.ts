import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it, vi } from "vitest";
import { FinishSignInResponseSchema } from "../../gen/ts/causeway/account/v1/account_pb.ts";
import { runCauseway, type Outcome } from "../support/causeway-process.ts";
import { folderForTest } from "../support/folder-for-test.ts";
import { sendJson, startLoopbackServer } from "../support/loopback-server.ts";
import { TerminalProcess } from "../support/terminal-process.ts";

vi.setConfig({ testTimeout: 60_000 });

const mebibyte = 1024 * 1024;

async function run(words: readonly string[], url: string): Promise<Outcome> {
  const environment = {
    CAUSEWAY_URL: url,
    CAUSEWAY_KEY: "cwk_a",
    XDG_CONFIG_HOME: folderForTest(),
  };
  return runCauseway(words, { environment, input: "" });
}

/** A server that signs anybody in as `email`, with `token`. */
async function signInServer(email: string, token: string): Promise<string> {
  const answer = create(FinishSignInResponseSchema, { token, user: { email } });
  const { origin } = await startLoopbackServer((_, response) => {
    response.writeHead(200, { "content-type": "application/proto" });
    response.end(toBinary(FinishSignInResponseSchema, answer));
  });
  return origin;
}

const login = ["login", "--email", "ada@example.org", "--code", "12345678"];

describe("a hostile server", () => {
  it.each(["ada\u001b[2J@example.org", "ada\u009b2J@example.org", ""])(
    "signs nobody in as %j",
    async (email) => {
      const { code, stdout, stderr } = await run(login, await signInServer(email, "cws_a"));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      for (const control of ["\u001b", "\u009b"]) expect(stdout + stderr).not.toContain(control);
    },
  );

  it("cannot have a token stored that no header carries", async () => {
    const url = await signInServer("ada@example.org", "cws_a\r\nx: y");
    expect((await run(login, url)).code).toBe(1);
  });

  it("cannot steer the terminal of a chat by an error", async () => {
    const { origin } = await startLoopbackServer((_, response) =>
      sendJson(response, 400, { error: "conflict\u009b2J", message: "Gone.\u001b[2J\u202e" }),
    );
    const { code, stderr } = await run(["chat", "--message", "hi"], origin);
    expect(code).toBe(1);
    expect(stderr).toContain("Gone.");
    for (const control of ["\u001b", "\u009b", "\u202e"]) {
      expect(stderr).not.toContain(control);
    }
  });

  it("cannot name a thread that is a command of a shell", async () => {
    const { origin } = await startLoopbackServer((_, response) => {
      response.writeHead(200, {
        "content-type": "application/json",
        "x-svc-session": "a;touch$IFS/tmp/b",
      });
      response.end(JSON.stringify({ status: "completed", output: [] }));
    });
    const chat = TerminalProcess.open(["chat"], {
      CAUSEWAY_URL: origin,
      CAUSEWAY_KEY: "cwk_a",
      XDG_CONFIG_HOME: folderForTest(),
    });
    await chat.shows("> ");
    chat.type("hi\r");
    await chat.shows("> ");
    chat.type("\u0004");
    await chat.ended();
    expect(chat.screen).not.toContain("touch");
  });

  it.each([
    [["me", "show"], 200, "application/proto"],
    [["chat", "--message", "hi"], 500, "application/json"],
    [["chat", "--message", "hi"], 200, "application/json"],
    [["chat", "--message", "hi"], 200, "text/event-stream"],
    [["services", "learn", "crm", "-"], 200, "application/json"],
  ] as const)(
    "is not read to the end of an endless body: %j, %d, %s",
    async (words, status, mediaType) => {
      let sent = 0;
      const { origin } = await startLoopbackServer((request, response) => {
        request.resume();
        response.writeHead(status, { "content-type": mediaType });
        const more = (): void => {
          if (sent >= 1024 * mebibyte) return void response.end();
          sent += mebibyte;
          response.write(Buffer.alloc(mebibyte, "a"), more);
        };
        more();
      });
      const har = JSON.stringify({ log: { version: "1.2", entries: [{}] } });
      const environment = {
        CAUSEWAY_URL: origin,
        CAUSEWAY_KEY: "cwk_a",
        CAUSEWAY_ADMIN_TOKEN: "a",
      };
      const { code } = await runCauseway(words, { environment, input: har });
      expect(code).toBe(1);
      expect(sent).toBeLessThan(512 * mebibyte);
    },
  );
});
