// @ts-check
// `node examples/product/approver.mjs give | take`: changes whether a user of the example may approve notes. The user
// must be the platform owner, who may declare permissions.
import { createClient } from '@gatehouse/client';

const { EMAIL = '', PASSWORD = '', SERVICE_ADDRESS = 'http://127.0.0.1:8080' } = process.env;
const [command] = process.argv.slice(2);
if (!EMAIL || !PASSWORD || (command !== 'give' && command !== 'take')) {
  console.error("Usage: EMAIL=ada@example.com PASSWORD='…' node examples/product/approver.mjs give | take");
  process.exit(2);
}

const client = createClient({ base: `${SERVICE_ADDRESS}/v1` });
await client.signIn.withPassword({ email: EMAIL, password: PASSWORD });
const { user } = await client.session.current();

/** Returns the role with the permission, and creates both if they do not exist. */
async function findRole() {
  const { items } = await client.roles.list(user.organization_id);
  const found = items.find(({ slug }) => slug === 'approver');
  if (found) return found;
  await client.permissions.save('notes.approve', { description: 'Approve notes' });
  return client.roles.create(user.organization_id, { name: 'Approver', permissions: ['notes.approve'] });
}

const role_ids = command === 'give' ? [(await findRole()).id] : [];
await client.members.setRoles(user.organization_id, user.user_id, { role_ids });
await client.session.signOut();
console.log(command === 'give' ? `${EMAIL} may approve notes.` : `${EMAIL} may no longer approve notes.`);
