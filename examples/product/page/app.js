// @ts-check
// A page on another host name of the same site: the hosted pages sign in, this page calls its API with the token.
import { createClient, isGatehouseError, isSignedOut } from '@gatehouse/client';

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const say = (/** @type {string} */ text) => {
  find('message').textContent = text;
};

const { service } = await (await fetch('/settings.json')).json();
const client = createClient({ base: `${service}/v1` });

/**
 * Refreshes the session once and repeats the request if the token has expired or roles have changed.
 * @param {string} method @param {string} path @param {unknown} [body]
 */
async function callApi(method, path, body) {
  const answer = await client.fetch(`/api${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (answer.status === 403) throw new Error('Your roles do not allow this.');
  if (!answer.ok) throw new Error(`The API returned status ${answer.status}.`);
  return answer.json();
}

/** @typedef {{ id: number, text: string, by: string, approved_by: string | null }} Note */

async function showNotes() {
  /** @type {Note[]} */
  const notes = await callApi('GET', '/notes');
  find('notes').replaceChildren(...notes.map(noteItem));
  say(notes.length === 0 ? 'No notes yet.' : '');
}

/** @param {Note} note */
function noteItem({ id, text, by, approved_by }) {
  const item = document.createElement('li');
  item.textContent = `${text} (${by})`;
  if (approved_by !== null) item.append(`, approved by ${approved_by}`);
  const approve = button('Approve', () => void callApi('PUT', `/notes/${id}/approval`).then(showNotes).catch(fail));
  approve.setAttribute('aria-label', `Approve ${text}`);
  item.append(' ', approve);
  return item;
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

const messageOf = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));

/** @param {unknown} error */
function fail(error) {
  if (isSignedOut(error)) return showSignedOut();
  // Another user has signed in in another window.
  if (isGatehouseError(error, 'csrf_failed')) return location.reload();
  say(error instanceof TypeError ? 'The API cannot be reached. Try again in a moment.' : messageOf(error));
}

find('add').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  callApi('POST', '/notes', { text: new FormData(form).get('text') })
    .then(() => form.reset())
    .then(showNotes)
    .catch(fail);
});

try {
  const { user } = await client.session.current();
  client.bindUser(user.user_id, user.organization_id);
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
