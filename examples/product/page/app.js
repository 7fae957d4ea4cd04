// @ts-check
// A page on another host name of the same site: the hosted pages sign in, this page calls its API with the token.
import { createClient, isGatehouseError, isSignedOut } from '@gatehouse/client';

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const say = (/** @type {string} */ text) => {
  find('message').textContent = text;
};

const { service } = await (await fetch('/settings.json')).json();
const client = createClient({ base: `${service}/v1` });

/** @param {string} method @param {unknown} [body] */
async function callApi(method, body) {
  const send = (/** @type {string} */ token) =>
    fetch('/api/notes', {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const token = await client.accessToken();
  let answer = await send(token);
  // The token has expired or the session has ended; in the latter case `accessToken` rejects.
  if (answer.status === 401) answer = await send(await client.accessToken({ refused: token }));
  if (!answer.ok) throw new Error(`the API returned status ${answer.status}`);
  return answer.json();
}

async function showNotes() {
  const notes = await callApi('GET');
  find('notes').replaceChildren(
    ...notes.map((/** @type {{ text: string, by: string }} */ { text, by }) => {
      const item = document.createElement('li');
      item.textContent = `${text} (${by})`;
      return item;
    }),
  );
  say(notes.length === 0 ? 'No notes yet.' : '');
}

/** @param {string} text @param {() => void} onClick */
function button(text, onClick) {
  const made = document.createElement('button');
  made.textContent = text;
  made.addEventListener('click', onClick);
  return made;
}

function showSignedOut() {
  find('add').hidden = true;
  find('notes').replaceChildren();
  const signIn = button('Sign in', () => location.assign(client.pages.signIn(location.href)));
  const register = button('Register', () => location.assign(client.pages.register(location.href)));
  find('account').replaceChildren(signIn, register);
  say('Sign in to see the notes of your organization.');
}

/** @param {unknown} error */
function fail(error) {
  if (isSignedOut(error)) return showSignedOut();
  // Another user has signed in in another window.
  if (isGatehouseError(error, 'csrf_failed')) return location.reload();
  say(error instanceof TypeError ? 'The API cannot be reached. Try again in a moment.' : String(error));
}

find('add').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  callApi('POST', { text: new FormData(form).get('text') })
    .then(() => form.reset())
    .then(showNotes)
    .catch(fail);
});

try {
  const { user } = await client.session.current();
  client.showPerson(user.user_id, user.organization_id);
  const account = document.createElement('a');
  account.href = client.pages.account();
  account.textContent = user.email;
  find('account').replaceChildren(
    account,
    button('Sign out', () => void client.session.signOut().then(showSignedOut).catch(fail)),
  );
  find('add').hidden = false;
  await showNotes();
} catch (error) {
  fail(error);
}
