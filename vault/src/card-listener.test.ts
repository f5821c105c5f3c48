// What the listeners of a whole vault do with a card's bytes and with idle sockets.

import net from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { postCard, startTestVault, type TestVault } from '../test/harness.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await startTestVault();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => vault?.close());

// What is parsed becomes strings, which nobody can wipe.
it.each([
  ['a number in groups', { number: '4242 4242 4242 4242' }, 'number'],
  ['a number without quotes', { number: 4242424242424242 }, 'number'],
  ['a number in a list', { number: ['4242424242424242'] }, 'number'],
  ['a code with a blank', { number: '4242424242424242', cvc: '98 7' }, 'cvc'],
])('%s is refused without its digits', async (_, fields, param) => {
  const parse = vi.spyOn(JSON, 'parse');
  const { status, body } = await postCard(vault, fields);
  expect([status, body.code, body.param]).toEqual([400, 'invalid_request', param]);
  const parsed = parse.mock.calls.map(([text]) => String(text)).join();
  expect(parsed).toContain('mountToken');
  expect(parsed).not.toMatch(/4242|98 7/);
});

it.each([
  ['taken', {}, 200],
  ['refused for its sender', { origin: 'https://evil.example' }, 403],
])(
  'nothing that a socket or a request gave out keeps the card: %s',
  async (_, headers, expected) => {
    const given: { piece: Buffer; from: object }[] = [];
    const { push } = Readable.prototype;
    vi.spyOn(Readable.prototype, 'push').mockImplementation(function (
      this: Readable,
      piece,
      coding,
    ) {
      // The form's body alone: what the vault sends to the provider is no JSON.
      if (Buffer.isBuffer(piece) && piece.includes('"number":"4242')) {
        given.push({ piece, from: this });
      }
      return push.call(this, piece, coding);
    });
    const { status } = await postCard(vault, {}, headers);
    expect(status).toBe(expected);
    expect(given.some(({ from }) => from instanceof net.Socket)).toBe(true);
    const isKept = () =>
      given.some(({ piece }) => piece.includes('4242') || piece.includes('"cvc"'));
    await expect.poll(isKept).toBe(false);
  },
);

it.each(['\u2013', '\u2011', ', ', ':', '  ', '\u00a0', '\u200b', '.'])(
  'a card number in its groups, apart by %j, is no name and no postal code',
  async (between) => {
    const number = ['3782', '822463', '10005'].join(between);
    const answers = await Promise.all([
      postCard(vault, { name: `Ada ${number}` }),
      postCard(vault, { postalCode: number.slice(0, 20) }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.param])).toEqual([
      [400, 'name'],
      [400, 'postalCode'],
    ]);
  },
);

/** Connects from an address of its own, so that no other connection of this file is counted. */
const open = (url: string, localAddress: string) => {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHo');
  return socket;
};

it('an address has 216 sockets of the form; the service, all that it likes', async () => {
  const outside = Array.from({ length: 219 }, () => open(vault.url, '127.0.0.7'));
  const inside = Array.from({ length: 219 }, () => open(vault.internalUrl, '127.0.0.8'));
  try {
    const isClosed = ({ closed }: net.Socket) => closed;
    await expect.poll(() => outside.filter(isClosed).length).toBe(3);
    await expect.poll(() => inside.every(({ readyState }) => readyState === 'open')).toBe(true);
    const { status } = await fetch(`${vault.url}/readyz`);
    expect(status).toBe(200);
  } finally {
    for (const socket of [...outside, ...inside]) socket.destroy();
  }
});
