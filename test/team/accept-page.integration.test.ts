/** The page behind the link of an invite, as a browser without script uses it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderInvitePage } from "../../src/app/pages/invite-page.ts";
import { waitUntil } from "../support/wait-until.ts";
import { newAddress, useTeamWorld } from "./team-world.ts";

const world = useTeamWorld({ file: { sign_in: { domains: ["example.org"] } } });
const neverIssued = "inv_0000000000000000000000000000";

interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Session cookie that was set, as it is sent back. */
  readonly cookie: string;
}

/** Opens a page, or sends one of its forms, as a browser does: with the page's own hidden fields. */
async function visit(
  url: string,
  form?: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  const sent = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
  const response = await fetch(url, { ...sent, headers });
  const [cookie = ""] = response.headers.getSetCookie();
  const html = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    html,
    cookie: cookie.split(";")[0] ?? "",
  };
}

/** The hidden fields of the form with a button of that text. */
function hiddenFields(html: string, button: string): Record<string, string> {
  const forms = [...html.matchAll(/<form method="post">([\s\S]*?)<\/form>/g)].map(
    ([, body]) => body,
  );
  const form = forms.find((body) => body?.includes(`<button>${button}</button>`)) ?? "";
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
}

async function invited() {
  const { path, id, owner } = await world.ownTeam();
  const email = newAddress();
  const { code } = (await world.invite({ path }, owner, email)).body;
  return { id, path, owner, email, code, url: linkTo(code) };
}

const linkTo = (code: string) => `${world.causeway.url}/invites/${code}`;

/** Goes through the page until the code is asked for, and reads it in the mail. */
async function askForCode(url: string, email: string) {
  const before = await messages();
  const first = await visit(url);
  const asked = await visit(url, { ...hiddenFields(first.html, "Send me a code"), email });
  const fresh = async () => (await messages()).find((name) => !before.includes(name));
  await waitUntil(async () => (await fresh()) !== undefined);
  const mail = await readFile(join(outbox(), (await fresh()) ?? ""), "utf8");
  return { asked, code: /^\d{8}$/m.exec(mail)?.[0] ?? "" };
}

const outbox = () => join(world.causeway.dataDirectory, "outbox");

async function messages(): Promise<string[]> {
  const names = await readdir(outbox()).catch((): string[] => []);
  return names.filter((name) => name.endsWith(".eml"));
}

describe("the accept page", () => {
  it("[sign-in.invite] signs the person in by a mailed code and accepts, without script", async () => {
    const { path, owner, email, url } = await invited();
    const { asked, code } = await askForCode(url, email);
    expect(asked.status).toBe(200);
    const form = hiddenFields(asked.html, "Sign in and accept the invite");
    expect(form).toEqual({ step: "code", email });
    const joined = await visit(url, { ...form, code });
    expect(joined.status).toBe(200);
    expect(joined.html).toContain("is a member of “Crew” now");
    const token = joined.cookie.replace("causeway_session=", "");
    const { body } = await world.call("GET", "/v1/teams", { token });
    expect(body.data).toMatchObject([{ name: "Crew", role: "member" }]);
    expect(await world.memberIds({ path }, owner)).toHaveLength(2);
    expect(joined.html).not.toContain("<script");
  });

  it("lets who is signed in accept with one press", async () => {
    const { email, url, path, owner } = await invited();
    const user = await world.user(email);
    const cookie = `causeway_session=${user.session}`;
    const shown = await visit(url, undefined, { cookie });
    expect(shown.html).toContain(`signed in as ${email}`);
    const form = hiddenFields(shown.html, "Accept the invite");
    const forged = await visit(url, form, { cookie, origin: "https://evil.example" });
    expect(forged.status).toBe(403);
    expect(await world.memberIds({ path }, owner)).toHaveLength(1);
    const joined = await visit(url, form, { cookie, origin: world.causeway.url });
    expect(joined).toMatchObject({ status: 200 });
    expect(await world.memberIds({ path }, owner)).toHaveLength(2);
  });

  it("shows the same for every code to whoever opens it, and changes nothing", async () => {
    const { url, path, owner, email } = await invited();
    const pages = [await visit(url), await visit(linkTo(neverIssued)), await visit(linkTo("x"))];
    expect(new Set(pages.map(({ status, html }) => `${status.toString()} ${html}`)).size).toBe(1);
    expect(pages[0]?.status).toBe(200);
    expect(pages[0]?.html).not.toContain(email);
    const { body } = await world.as(owner, "GET", `${path}/invites`);
    expect(body.data).toHaveLength(1);
  });

  it("[invites.mismatch] tells another account that the invite is not for it, and nothing more", async () => {
    const { url, email } = await invited();
    const other = newAddress();
    const { asked, code } = await askForCode(url, other);
    const form = hiddenFields(asked.html, "Sign in and accept the invite");
    const refused = await visit(url, { ...form, code });
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("The invite was sent to another e-mail address.");
    expect(refused.html).not.toContain(email);
    expect(refused.html).not.toContain("Crew");
    expect(refused.html).not.toContain("<button>Accept the invite</button>");
    expect(hiddenFields(refused.html, "Send me a code")).toEqual({ step: "address" });
  });

  it("tells the invited one that the invite is over", async () => {
    const { url, email, path, owner, code: invite } = await invited();
    const { asked, code } = await askForCode(url, email);
    await world.as(owner, "DELETE", `${path}/invites/${invite}`);
    const form = hiddenFields(asked.html, "Sign in and accept the invite");
    const refused = await visit(url, { ...form, code });
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("ask for a new one");
    expect(refused.html).toContain("<h1>The invite cannot be accepted</h1>");
    expect(refused.cookie).toMatch(/^causeway_session=cws_/);
  });

  it("asks again after a wrong code, a bad address, a session that has ended", async () => {
    const { url, email } = await invited();
    const wrong = await visit(url, { step: "code", email, code: "00000000" });
    expect(wrong.status).toBe(400);
    expect(hiddenFields(wrong.html, "Sign in and accept the invite")).toEqual({
      step: "code",
      email,
    });
    const again = hiddenFields(wrong.html, "Send me a new code");
    expect(again).toEqual({ step: "address", email });
    expect((await visit(url, again)).html).toContain("<h1>Enter your code</h1>");
    const bad = await visit(url, { step: "address", email: "no address" });
    expect(bad.status).toBe(400);
    expect(hiddenFields(bad.html, "Send me a code")).toEqual({ step: "address" });
    expect(bad.html).toContain("This is not an e-mail address.");
    expect(bad.html).toContain('value="no address"');
    const ended = await visit(url, { step: "accept" }, { cookie: "causeway_session=cws_junk" });
    expect(ended.status).toBe(401);
    expect(ended.html).toContain("sign in again");
  });

  it("does not take a form that another site sends", async () => {
    const { url, email } = await invited();
    const before = await messages();
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const form = { step: "address", email };
      expect((await visit(url, form, headers as Record<string, string>)).status).toBe(403);
    }
    expect(await messages()).toEqual(before);
  });

  it("takes forms alone, of a few kilobytes", async () => {
    const { url } = await invited();
    const json = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(json.status).toBe(400);
    const large = await visit(url, { step: "address", email: "x".repeat(5000) });
    expect(large.status).toBe(413);
  });

  it("may be framed by nobody, loads nothing and is kept by no cache", async () => {
    const { headers } = await visit((await invited()).url);
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  });

  it("shows what people typed as text", () => {
    const name = `<img src=x onerror="alert('1')">`;
    const html = [
      renderInvitePage({ kind: "joined", email: name, teamName: name }),
      renderInvitePage({ kind: "code", email: name, problem: name }),
      renderInvitePage({ kind: "accept", email: name }),
    ].join("");
    expect(html).not.toContain("<img");
    expect(html).not.toContain(`onerror="`);
  });
});
