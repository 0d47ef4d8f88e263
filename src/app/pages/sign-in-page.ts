import type { FastifyInstance } from "fastify";
import { buildHtmlHeaders } from "../../transport/docs/html-headers.ts";

/**
 * The page behind the link of a sign-in mail. Address and code stand in the
 * link's fragment, which no server sees; the page fills them in and sends them
 * to startSignIn and finishSignIn when the person presses the button, so that a
 * mail scanner that opens links signs nobody in.
 */
export function registerSignInPage(app: FastifyInstance): void {
  const headers = buildHtmlHeaders(signInPage);
  const page = Buffer.from(signInPage);
  app.get("/sign_in", (_request, reply) => reply.headers(headers).send(page));
}

const style = `
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; line-height: 1.5; }
main { max-width: 24rem; margin: 4rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0 0.25rem; }
input { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
button { margin-top: 1rem; padding: 0.5rem 1rem; font: inherit; }
small { display: block; }
`;

const script = `
const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const button = document.querySelector("button");

function nameButton() {
  button.textContent = form.code.value.trim() === "" ? "Send me a code" : "Sign in";
}

// Also when the link is followed to a page that is open already.
function readLink() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("email")) form.email.value = fragment.get("email");
  if (fragment.has("code")) form.code.value = fragment.get("code");
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
  nameButton();
}

const unreachable = () => {
  throw new Error("The server cannot be reached. Try again in a moment.");
};

async function send(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(unreachable);
  const answer = await response.json().catch(unreachable);
  if (answer.param === "email") throw new Error("This is not an e-mail address. Correct it and try again.");
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

async function proceed() {
  const email = form.email.value;
  const code = form.code.value.trim();
  if (code === "") {
    await send("v1/sign_in", { email });
    form.code.focus();
    return "If that address may sign in, a message with a code is on its way. Enter it above.";
  }
  const { user } = await send("v1/sign_in/finish", { email, code });
  form.hidden = true;
  return "You are signed in as " + user.email + ". You may close this page.";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  button.disabled = true;
  proceed()
    .catch((error) => error.message)
    .then((text) => (status.textContent = text))
    .finally(() => (button.disabled = false));
});
form.code.addEventListener("input", nameButton);
addEventListener("hashchange", readLink);
readLink();
form.hidden = false;
`;

const signInPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Causeway: sign in</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Sign in</h1>
<form hidden>
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<label for="code">Code <small>The eight digits of the message. Leave it empty to get one by mail.</small></label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="\\s*([0-9]{8}|[0-9A-Za-z]{22})\\s*" title="Eight digits, or the code of the link">
<button>Send me a code</button>
</form>
<p role="status"></p>
<noscript><p>This page needs JavaScript. Allow it for this page and load it again.</p></noscript>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
