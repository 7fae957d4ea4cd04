// @ts-check
// A page on another host name of the same site: the hosted pages sign in, this one calls its own API with the access token.
import { createClient, isSignedOut } from '@gatehouse/client';

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const say = (/** @type {string} */ text) => {
  find('message').textContent = text;
};

const { service } = await (await fetch('/settings.json')).json();
const client = createClient({ base: `${service}/v1` });

/** @param {string} method @param {unknown} [body] */
async function callApi(method, body) {
  const answer = await fetch('/api/notes', {
    method,
    headers: { authorization: `Bearer ${await client.accessToken()}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer.json();
  // Perhaps the session was ended elsewhere: then this rejects, and the page says so.
  await client.session.current();
  throw new Error(`the API answered ${answer.status}`);
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
const fail = (error) => (isSignedOut(error) ? showSignedOut() : say(String(error)));

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
  client.showPerson(user.user_id);
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
