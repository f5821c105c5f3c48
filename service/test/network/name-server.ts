// A name server on loopback that answers as the test decides, with real packets (RFC 1035), so that
// the resolver of deliveries is tested.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type NameRecord =
  | { readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly type: 'CNAME'; readonly name: string };

export type Question = { readonly name: string; readonly type: 'A' | 'AAAA' };

/** Returns the records for a question, the n-th of its kind from 0; null for no response at all. */
export type Answers = (question: Question, nth: number) => readonly NameRecord[] | 'failure' | null;

export type NameServer = {
  readonly address: string;
  readonly questions: Question[];
  close(): Promise<void>;
};

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 } as const;

const labels = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** A record with a lifetime of zero: it must not be cached. */
function record(owner: Buffer, one: NameRecord): Buffer {
  const content = one.type === 'CNAME' ? labels(one.name) : addressBytes(one.address);
  const head = Buffer.alloc(10);
  head.writeUInt16BE(typeNumbers[one.type], 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(0, 4);
  head.writeUInt16BE(content.length, 8);
  return Buffer.concat([owner, head, content]);
}

/** Returns the name of the question, and where the question ends. */
function readQuestion(packet: Buffer): { question: Question; end: number } {
  const parts: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    parts.push(packet.subarray(at + 1, at + 1 + length).toString());
    at += length + 1;
  }
  const type = packet.readUInt16BE(at + 1) === typeNumbers.AAAA ? 'AAAA' : 'A';
  return { question: { name: parts.join('.').toLowerCase(), type }, end: at + 5 };
}

function respond(packet: Buffer, end: number, found: readonly NameRecord[] | 'failure'): Buffer {
  const header = Buffer.from(packet.subarray(0, 12));
  const records = found === 'failure' ? [] : found;
  header.writeUInt16BE(found === 'failure' ? 0x8182 : 0x8180, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  let owner: Buffer = Buffer.from([0xc0, 0x0c]);
  const written = records.map((one) => {
    const bytes = record(owner, one);
    // Records after an alias belong to the name to which the alias points.
    if (one.type === 'CNAME') owner = labels(one.name);
    return bytes;
  });
  return Buffer.concat([header, packet.subarray(12, end), ...written]);
}

export async function aNameServer(answers: Answers): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: Question[] = [];
  socket.on('message', (packet, from) => {
    const { question, end } = readQuestion(packet);
    const nth = questions.filter(
      ({ name, type }) => name === question.name && type === question.type,
    ).length;
    questions.push(question);
    const found = answers(question, nth);
    if (found !== null) socket.send(respond(packet, end, found), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
