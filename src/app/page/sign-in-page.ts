import type { FastifyInstance } from "fastify";
import { htmlHeaders } from "../../transport/docs/html-headers.ts";

/**
 * The page behind the link of a sign-in mail. Address and code stand in the
 * link's fragment, which no server sees; the page fills them in and sends them
 * to startSignIn and finishSignIn when the person presses the button, so that a
 * mail scanner that opens links signs nobody in.
 */
export function registerSignInPage(app: FastifyInstance): void {
  const headers = htmlHeaders(signInPage);
  app.get("/sign_in", (_request, reply) => reply.headers(headers).send(signInPage));
}

const style = `
:root { color-scheme: light dark; font-family: ui-sans-serif, system-ui, sans-serif; line-height: 1.5; }
main { max-width: 24rem; margin: 4rem auto; padding: 0 1rem; }
label { display: block; margin: 1rem 0 0.25rem; }
input { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
button { margin-top: 1rem; padding: 0.5rem 1rem; font: inherit; }
`;

const script = `
const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const fragment = new URLSearchParams(location.hash.slice(1));
form.email.value = fragment.get("email") ?? "";
form.code.value = fragment.get("code") ?? "";
history.replaceState(null, "", location.pathname);

async function send(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

async function proceed() {
  const email = form.email.value;
  const code = form.code.value;
  if (code === "") {
    await send("v1/sign_in", { email });
    return "If that address may sign in, a message with a code is on its way.";
  }
  const { user } = await send("v1/sign_in/finish", { email, code });
  form.hidden = true;
  return "You are signed in as " + user.email + ".";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  proceed().catch((error) => error.message).then((text) => (status.textContent = text));
});
`;

const signInPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Causeway: sign in</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Sign in</h1>
<form>
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<label for="code">Code from the message (leave it empty to get one)</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{8}">
<button>Continue</button>
</form>
<p role="status"></p>
<noscript><p>This page needs JavaScript. Without it, send the code with POST /v1/sign_in/finish.</p></noscript>
</main>
<script type="module">${script}</script>
</body>
</html>
`;
