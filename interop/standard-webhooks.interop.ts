import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from '../bench/tidy.ts';
import { type Receiver, startReceiver } from '../packages/server/src/features/webhooks/receiver-fixture.ts';
import { verifyWebhook } from '../packages/verify/src/webhooks.ts';
import { startWithOwner } from './account.ts';
import { installNpm, type Proof } from './proof.ts';

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Library {
  Webhook: new (secret: string) => { verify(body: string, headers: Record<string, string>): { type: string } };
}

/** Debian's interpreter: others may lack modules. */
const PYTHON = '/usr/bin/python3';
const DELIVERED_WITHIN_MS = 30_000;

/** Verifies as the specification says, with the standard library of Python only: none of our code, none of npm. */
const PYTHON_VERIFIER = `
import base64, hashlib, hmac, json, sys
secret, headers, body = json.load(sys.stdin)
key = base64.b64decode(secret.removeprefix("whsec_"))
signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
given = headers["webhook-signature"].split(" ")
print("accepted" if any(hmac.compare_digest(expected, each) for each in given) else "rejected")
`;

export const proof: Proof = {
  about: 'receivers verify deliveries by Standard Webhooks: its library for JavaScript, and a few lines of Python',
  async run({ check }) {
    const folder = await installNpm('standardwebhooks@1');
    const require = createRequire(join(folder, 'package.json'));
    const { Webhook } = require('standardwebhooks') as Library;
    const { client, organization_id } = await startWithOwner();
    const receiver = await startReceiver();
    atEnd(() => receiver.close());
    const webhook = await client.webhooks.create(organization_id, { url: receiver.url, events: ['org.updated'] });

    const byLibrary = (secret: string, { headers, body }: Delivery): string => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>).type;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const byPython = (secret: string, { headers, body }: Delivery): string =>
      spawnSync(PYTHON, ['-c', PYTHON_VERIFIER], {
        input: JSON.stringify([secret, headers, body]),
        encoding: 'utf8',
      }).stdout.trim();
    const checkBoth = (what: string, secret: string, delivery: Delivery, type: string | undefined) => {
      check(`standardwebhooks ${what}`, byLibrary(secret, delivery), type ?? 'No matching signature found');
      if (existsSync(PYTHON)) check(`Python ${what}`, byPython(secret, delivery), type ? 'accepted' : 'rejected');
    };

    await client.organization.update(organization_id, { name: 'Ünicode & Söhne 漢字' });
    const first = await nextOf(receiver);
    checkBoth('accepts a delivery', webhook.secret, first, 'org.updated');
    checkBoth('rejects an altered body', webhook.secret, { ...first, body: `${first.body} ` }, undefined);
    check('verifyWebhook accepts it', verifyWebhook(first.headers, first.body, webhook.secret).type, 'org.updated');

    const rotated = await client.webhooks.rotateSecret(organization_id, webhook.id);
    await client.webhooks.test(organization_id, webhook.id);
    const second = await nextOf(receiver);
    checkBoth('accepts the old secret after a rotation', webhook.secret, second, 'webhook.test');
    checkBoth('accepts the new secret after a rotation', rotated.secret, second, 'webhook.test');
  },
};

async function nextOf({ received }: Receiver): Promise<Delivery> {
  for (let waited = 0; waited < DELIVERED_WITHIN_MS; waited += 50) {
    const delivery = received.shift();
    if (delivery) return delivery;
    await sleep(50);
  }
  throw new Error('the service delivered nothing');
}
