import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** What the server answers for a name. A list: its TXT records, each as one string or as its parts. */
type Answer = readonly (string | readonly string[])[] | 'servfail' | 'refused' | 'silent';

export interface DnsServer {
  /** `127.0.0.1:<port>`, for DNS_SERVERS. */
  readonly address: string;
  /** Answers by name. A name that is not here does not exist (NXDOMAIN). */
  readonly answers: Map<string, Answer>;
  readonly asked: string[];
  close(): Promise<void>;
}

const HEADER = 12;
const TXT = 16;
const CODES = { none: 0, servfail: 2, nxdomain: 3, refused: 5 };

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER;
  while (query[at]! > 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    at += 1 + query[at]!;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const txtData = (parts: readonly string[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([Buffer.byteLength(part)]), Buffer.from(part)])));

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const { name, end } = readName(query);
    asked.push(name);
    const answer = answers.get(name);
    if (answer === 'silent') return;
    const records = Array.isArray(answer) ? (answer as (string | string[])[]) : [];
    const code = answer === undefined ? CODES.nxdomain : typeof answer === 'string' ? CODES[answer] : CODES.none;
    const question = query.subarray(HEADER, end + 4);
    const resources = records.map((record) => {
      const data = txtData([record].flat());
      return Buffer.concat([u16(0xc000 + HEADER), u16(TXT), u16(1), u16(0), u16(0), u16(data.length), data]);
    });
    const header = [query.subarray(0, 2), u16(0x8180 | code), u16(1), u16(records.length), u16(0), u16(0)];
    socket.send(Buffer.concat([...header, question, ...resources]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answers,
    asked,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
