import { escapeHtml } from "../../platform/html.ts";

/** What the page behind an invite's link shows. */
export type InviteWebPageContent =
  /** Somebody whom the browser does not know says an address. */
  | {
      readonly kind: "address";
      /** What was typed before. */
      readonly email?: string | undefined;
      readonly problem?: string | undefined;
    }
  /** A code is on its way to the address, if it may sign in. */
  | { readonly kind: "code"; readonly email: string; readonly problem?: string | undefined }
  /** A person that is signed in can accept with one press. */
  | { readonly kind: "accept"; readonly email: string; readonly problem?: string | undefined }
  /** Asking again would not help the person that is signed in. */
  | { readonly kind: "refused"; readonly email: string; readonly problem?: string | undefined }
  | { readonly kind: "joined"; readonly email: string; readonly teamName: string };

/** The page as HTML. It has no script; its forms come back to the address it is at. */
export function renderInvitePage(page: InviteWebPageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>Causeway: ${titles[page.kind]}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${titles[page.kind]}</h1>
${problemOf(page)}${contentOf(page)}
</main>
</body>
</html>
`;
}

const titles: Readonly<Record<InviteWebPageContent["kind"], string>> = {
  address: "You are invited to a team",
  code: "Enter your code",
  accept: "You are invited to a team",
  refused: "The invite cannot be accepted",
  joined: "You are a member now",
};

function problemOf(page: InviteWebPageContent): string {
  if (page.kind === "joined" || page.problem === undefined) return "";
  return `<p role="alert">${escapeHtml(page.problem)}</p>\n`;
}

function contentOf(page: InviteWebPageContent): string {
  switch (page.kind) {
    case "address":
      return addressForm(
        "Say the address that the invite was sent to. You get a code by mail.",
        page.email,
      );
    case "code":
      return codeForm(page.email);
    case "accept":
      return (
        `<p>You are signed in as ${escapeHtml(page.email)}.</p>\n` +
        form("accept", "", "Accept the invite") +
        `<h2>Somebody else?</h2>\n${addressForm("Sign in with the address that was invited.")}`
      );
    case "refused":
      return (
        `<p>You are signed in as ${escapeHtml(page.email)}.</p>\n` +
        `<h2>Was another address invited?</h2>\n${addressForm("Sign in with the address that was invited.")}`
      );
    case "joined":
      return `<p>${escapeHtml(page.email)} is a member of “${escapeHtml(page.teamName)}” now. You may close this page.</p>`;
  }
}

function addressForm(lead: string, typed = ""): string {
  const field = `<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" value="${escapeHtml(typed)}" required>`;
  return `<p>${lead}</p>\n${form("address", field, "Send me a code")}`;
}

function codeForm(email: string): string {
  const address = escapeHtml(email);
  const hidden = `<input type="hidden" name="email" value="${address}">`;
  const field = `${hidden}
<label for="code">Code of eight digits</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*[0-9]{8}\\s*" title="Eight digits" required autofocus>`;
  return (
    `<p>If ${address} may sign in, a message with a code is on its way. The code works for ten minutes.</p>\n` +
    form("code", field, "Sign in and accept the invite") +
    `<h2>No message, or is the code too old?</h2>\n` +
    form("address", hidden, "Send me a new code") +
    `<p><a href="">Use another address</a></p>`
  );
}

/** Without an `action`, so that it works behind a public address with a path of its own. */
function form(step: string, fields: string, button: string): string {
  return `<form method="post">
<input type="hidden" name="step" value="${step}">
${fields}
<button>${button}</button>
</form>
`;
}

const style = `
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; line-height: 1.5; }
main { max-width: 24rem; margin: 4rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; font-size: 1rem; }
label { display: block; margin: 1rem 0 0.25rem; }
input { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
button { margin-top: 1rem; padding: 0.5rem 1rem; font: inherit; }
[role=alert] { border-left: 0.25rem solid; padding-left: 0.75rem; }
`;
