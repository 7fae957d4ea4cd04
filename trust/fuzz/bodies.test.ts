import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { isFull, SEED } from '../effort.ts';
import { cases, fullCases, type Ledger } from '../ledger.ts';
import { type Answer, type Asked, ask, bearerOf, faultOf, JSON_TYPE, jsonOf } from './ask-fixture.ts';
import { BROKEN, type Framing, SMUGGLED } from './bodies-framing-fixture.ts';
import { HOSTILE_BODIES, PAYLOADS } from './bodies-json-fixture.ts';
import { BOUNDARY, brokenForms, drawable, FILE_NAMES, fileForm, noise, notDrawable } from './bodies-uploads-fixture.ts';
import { changeDuring } from './rows-fixture.ts';
import { type Account, type Service, startService } from './service-fixture.ts';
import { rawFault, speak } from './sockets-fixture.ts';
import { createStalls } from './stalls-fixture.ts';

const stalls = createStalls();
let service: Service;
let platformOwner: Account;
let user: Account;
let picture: Buffer;
beforeAll(async () => {
  service = await startService(1, stalls.env);
  await stalls.watch(service.servers);
  platformOwner = await service.insertUser({ platform_role: 'owner' });
  user = await service.insertUser();
  picture = await noise(60, 40).png().toBuffer();
  // Loads the image library, so that the first measured upload does not.
  await upload(fileForm(picture));
});
afterAll(async () => {
  stalls.close();
  await service.close();
});

const ASKING: readonly (readonly [string, string])[] = [
  ['POST', '/v1/auth/register'],
  ['PUT', '/v1/admin/feature-flags'],
  ...(isFull
    ? ([
        ['POST', '/v1/auth/login'],
        ['POST', '/v1/auth/password/reset'],
        ['POST', '/v1/auth/invitations/accept'],
        ['POST', '/v1/auth/mfa/challenge'],
        ['POST', '/v1/auth/passkey/login/complete'],
        ['POST', '/v1/users/me/email'],
        ['POST', '/v1/admin/orgs'],
      ] as const)
    : []),
];

const TAKING_ANYTHING = isFull
  ? ['/v1/auth/password/forgot', '/v1/auth/email-otp/request']
  : ['/v1/auth/password/forgot'];

async function send(asked: Asked, field?: string): Promise<{ answer: Answer; fault: string | undefined }> {
  const url = service.url();
  const answer = await ask(url, asked);
  return { answer, fault: faultOf(url, asked, answer, field) };
}

const mismatch = ({ answer, fault }: { answer: Answer; fault: string | undefined }, status = 400): string | undefined =>
  fault ?? (answer.status === status ? undefined : `not ${status} but ${answer.status} ${answer.text.slice(0, 200)}`);

async function writingNothing(ledger: Ledger, work: () => Promise<void>): Promise<void> {
  ledger.enter('nothing is written', await changeDuring(service.database, work));
  ledger.enter('the server has not failed', service.complaint());
}

cases(
  'deep, huge and malformed bodies are refused where fields are expected',
  (ledger) =>
    writingNothing(ledger, async () => {
      for (const [index, { name, body, headers = JSON_TYPE, names }] of HOSTILE_BODIES.entries()) {
        const bytes = body();
        // The short form sends each body to one endpoint: all endpoints share the parser.
        for (const [method, path] of isFull ? ASKING : [ASKING[index % ASKING.length]!]) {
          const asked = { method, path, headers: { ...bearerOf(platformOwner), ...headers }, body: bytes };
          await stalls.attempt(ledger, `${method} ${path}: ${name}`, async () => mismatch(await send(asked, names)));
        }
        for (const path of isFull || index % 4 === 0 ? TAKING_ANYTHING : []) {
          const asked = { method: 'POST', path, headers, body: bytes };
          await stalls.attempt(ledger, `${path}: ${name}`, async () => mismatch(await send(asked), 204));
        }
      }
      ledger.note(stalls.summary());
    }),
  600_000,
);

cases('the value of a flag is returned unchanged, or refused', async (ledger) => {
  const keys = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
  for (const [index, payload] of PAYLOADS.entries()) {
    await ledger.attempt(payload.slice(0, 60), async () => {
      const flag_key = `fuzz.${index}`;
      const headers = { ...bearerOf(platformOwner), ...JSON_TYPE };
      const body = `{"flag_key":"${flag_key}","enabled":true,"value":${payload}}`;
      const { answer, fault } = await send({ method: 'PUT', path: '/v1/admin/feature-flags', headers, body });
      const listed = await send({ method: 'GET', path: '/v1/feature-flags', headers: bearerOf(user) });
      if (fault ?? listed.fault) return fault ?? listed.fault;
      const kept = jsonOf<Record<string, { value: unknown }>>(listed.answer)[flag_key];
      if (answer.status === 400) return kept === undefined ? undefined : 'it was refused, and is there';
      const same = sorted(kept?.value) === sorted(JSON.parse(payload));
      return same ? undefined : `came back as ${JSON.stringify(kept?.value).slice(0, 200)}`;
    });
  }
  ledger.enter(
    'no prototype has changed in the test process',
    keys === JSON.stringify(Object.getOwnPropertyNames(Object.prototype)) ? undefined : 'it has',
  );
  const register = { method: 'POST', path: '/v1/auth/register', headers: JSON_TYPE, body: '{}' };
  ledger.enter('no prototype has changed in the service', mismatch(await send(register, 'email')));
});

/** Sorts the names of an object, because their order is not guaranteed. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1))
      : inner,
  );

const trial = async ({ bytes, statuses, leave }: Framing): Promise<string | undefined> => {
  const answers = await speak(service.url(), bytes, { leave: leave ?? false });
  const fault = answers.map(rawFault).find(Boolean);
  if (fault !== undefined) return fault;
  const seen = answers.map(({ status }) => status);
  return String(seen) === String(statuses) ? undefined : `answered ${seen.join(', ') || 'nothing'}`;
};

cases('a request smuggled in another one is never answered', (ledger) =>
  writingNothing(ledger, async () => {
    for (const framing of SMUGGLED) await stalls.attempt(ledger, framing.name, () => trial(framing));
  }),
);

cases('malformed HTTP gets the error body, or no response', (ledger) =>
  writingNothing(ledger, async () => {
    for (const framing of BROKEN) await stalls.attempt(ledger, framing.name, () => trial(framing));
  }),
);

const upload = (body: Buffer | string, type = `multipart/form-data; boundary=${BOUNDARY}`) =>
  send({
    method: 'POST',
    path: '/v1/users/me/avatar',
    headers: { ...bearerOf(user), 'content-type': type },
    body,
  });

cases('forms without exactly one image are refused', (ledger) =>
  writingNothing(ledger, async () => {
    for (const { name, body, type } of brokenForms(picture)) {
      await stalls.attempt(ledger, name, async () => mismatch(await upload(body, type)));
    }
  }),
);

cases('invalid images, and images with a wrong size, are refused', async (ledger) => {
  const hostile = await notDrawable();
  await writingNothing(ledger, async () => {
    for (const [name, bytes] of hostile) {
      await stalls.attempt(ledger, name, async () => mismatch(await upload(fileForm(bytes))));
    }
  });
});

cases('only the pixels of an image are stored, and its file name is ignored', async (ledger) => {
  const drawn = await drawable();
  const pictures = [
    ...drawn,
    // The images above are uploaded with the first names, so the short form skips these.
    ...FILE_NAMES.slice(isFull ? 0 : drawn.length).map((name): [string, Buffer] => [
      `called ${name.slice(0, 30)}`,
      picture,
    ]),
  ];
  for (const [index, [name, bytes]] of pictures.entries()) {
    await stalls.attempt(ledger, name, async () => {
      const filename = FILE_NAMES[index % FILE_NAMES.length]!;
      const sent = await upload(fileForm(bytes, filename));
      // A decoder may refuse large images.
      if (sent.answer.status === 400) return sent.fault;
      if (mismatch(sent, 200)) return mismatch(sent, 200);
      const { pathname } = new URL(jsonOf<{ avatar_url: string }>(sent.answer).avatar_url);
      const drawn = await ask(service.url(), { method: 'GET', path: pathname });
      if (drawn.headers['content-type'] !== 'image/webp') return `it is ${drawn.headers['content-type']}`;
      return /PLANTED|script|PK\x03/.test(drawn.text) ? 'what was planted is in it' : undefined;
    });
  }
  ledger.enter('the server has not failed', service.complaint());
});

fullCases(
  'images with a few changed bytes are stored or refused',
  async (ledger) => {
    ledger.note(`pictures are changed by --seed ${SEED}`);
    for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const bytes = await noise(120, 90).toFormat(format).toBuffer();
      const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
      const changes = fc.array(change, { minLength: 1, maxLength: 6 });
      const property = fc.asyncProperty(changes, async (list) => {
        const changed = Buffer.from(bytes);
        for (const [at, value] of list) changed[at] = value;
        const { answer, fault } = await upload(fileForm(changed));
        const seen = fault ?? ([200, 400].includes(answer.status) ? undefined : `${answer.status} ${answer.text}`);
        ledger.enter(`${format} with ${JSON.stringify(list)}`, seen);
        return seen === undefined;
      });
      await fc.check(property, { numRuns: 300, endOnFailure: true, seed: SEED });
    }
    ledger.enter('the server has not failed', service.complaint());
  },
  300_000,
);
