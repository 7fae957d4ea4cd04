// Loaded into a server before anything else: every limit on how long a client may take is a fraction of what the service has
// set, so that a test need not wait. One that was never set stays so.
import { Server } from 'node:http';

const HASTE = Number(process.env.HASTE ?? 1);
const LIMITS = ['timeout', 'headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'connectionsCheckingInterval'];

const { listen } = Server.prototype;
Server.prototype.listen = function hurried(...where) {
  for (const limit of LIMITS) this[limit] = Math.ceil(this[limit] / HASTE);
  return listen.apply(this, where);
};
