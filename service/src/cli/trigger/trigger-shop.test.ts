// What a person is told before the clock moves. The sandbox and the API of these tests only record
// calls.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readOverrides } from './trigger-overrides.ts';
import { openShop } from './trigger-shop.ts';

const now = '2026-11-22T00:00:00.000Z';
let close = () => {};
afterEach(() => close());

/**
 * A shop at a sandbox whose clock is stopped; returns the printed lines and the requested moves.
 */
async function aShop(endpoints: () => Promise<unknown>) {
  const moves: string[] = [];
  const notes: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') moves.push(String(request.url));
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ now }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  const shop = openShop({
    project: {
      api: async <T>() => (await endpoints()) as T,
      apiUrl: 'http://127.0.0.1:1',
      clientId: 'c',
      sandboxUrl: `http://127.0.0.1:${port}`,
      ownerEmail: null,
      folder: '/',
      isFound: false,
    },
    bodies: readOverrides([], []),
    note: (text) => void notes.push(text),
  });
  return { shop, moves, notes };
}

const timeInHours = (hours: number) => new Date(Date.parse(now) + hours * 3_600_000);
const endpoint = (url: string, failingSince: string | null) => ({ url, failingSince });

describe('moving the clock for an event', () => {
  it('says before how far, what it means, and which failing endpoints it disables', async () => {
    const { shop, moves, notes } = await aShop(async () => ({
      data: [
        endpoint('http://failing.example', '2026-11-21T23:59:00.000Z'),
        endpoint('http://well.example', null),
      ],
    }));
    await shop.passTo(timeInHours(100));
    expect(notes.join('\n')).toMatch(/4\.2 days ahead/);
    expect(notes.join('\n')).not.toContain('.example');
    await shop.passTo(timeInHours(120));
    expect(notes.join('\n')).toContain('http://failing.example is failing');
    expect(notes.join('\n')).not.toContain('well.example');
    expect(moves).toEqual(['/_control/clock/advance', '/_control/clock/advance']);
  });

  it('moves it where endpoints may not be read, and never back', async () => {
    const { shop, moves, notes } = await aShop(() => Promise.reject(new Error('403')));
    await shop.passTo(timeInHours(1));
    expect(moves).toHaveLength(1);
    notes.splice(0);
    await shop.passTo(timeInHours(-1));
    expect([moves.length, notes]).toEqual([1, []]);
  });
});
