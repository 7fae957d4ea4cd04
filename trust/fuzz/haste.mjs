// Loaded into a server before anything else: divides the server's time limits for clients, so that a test need not
// wait. Limits that are not set stay unset.
import { Server } from 'node:http';

const HASTE = Number(process.env.HASTE ?? 1);
const LIMITS = ['timeout', 'headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'connectionsCheckingInterval'];

const { listen } = Server.prototype;
Server.prototype.listen = function hurried(...where) {
  for (const limit of LIMITS) this[limit] = Math.ceil(this[limit] / HASTE);
  return listen.apply(this, where);
};
