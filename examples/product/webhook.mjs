// @ts-check
// `node examples/product/webhook.mjs`: creates a webhook of the user's organization for the API of the example, and
// prints how to start the example with its secret.
import { createClient } from '@gatehouse/client';

const { EMAIL = '', PASSWORD = '', SERVICE_ADDRESS = 'http://127.0.0.1:8080' } = process.env;
const { API_ADDRESS = 'http://127.0.0.1:8081' } = process.env;
if (!EMAIL || !PASSWORD) {
  console.error("Usage: EMAIL=ada@example.com PASSWORD='…' node examples/product/webhook.mjs");
  process.exit(2);
}

const client = createClient({ base: `${SERVICE_ADDRESS}/v1` });
await client.signIn.withPassword({ email: EMAIL, password: PASSWORD });
const { user } = await client.session.current();
const { secret } = await client.webhooks.create(user.organization_id, {
  url: `${API_ADDRESS}/webhooks`,
  description: 'The example',
  events: ['member.removed'],
});
await client.session.signOut();
console.log(`Stop the example, and start it again: WEBHOOK_SECRETS='${secret}' npm run example`);
