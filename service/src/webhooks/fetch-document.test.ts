import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFetcher } from './fetch-document.ts';

let server: http.Server;
let origin: string;
const seen: string[] = [];
beforeAll(async () => {
  server = http.createServer((request, response) => {
    seen.push(request.url ?? '');
    if (request.url === '/small') {
      response.setHeader('cache-control', 'max-age=600');
      response.end('{"a":1}');
    } else if (request.url === '/large') response.end('x'.repeat(5121));
    else if (request.url === '/redirect') {
      response.writeHead(302, { location: '/small' }).end();
    } else if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    } else if (request.url === '/slow') response.write('{');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const bounds = { maxBytes: 5120, totalMs: 400 };
const allowed = documentFetcher({ ...bounds, allow: ['127.0.0.0/8'] });
const strict = documentFetcher({
  ...bounds,
  allow: [],
  resolve: async (name) =>
    name === 'mixed.example.test' ? ['93.184.216.34', '10.0.0.1'] : ['::1'],
});

describe('documentFetcher', () => {
  it('answers status, body and headers of a small document', async () => {
    const found = await allowed(`${origin}/small`);
    expect(found).toMatchObject({ status: 200, headers: { 'cache-control': 'max-age=600' } });
    expect(found.body.toString()).toBe('{"a":1}');
  });

  it('follows no redirect', async () => {
    const before = seen.length;
    expect((await allowed(`${origin}/redirect`)).status).toBe(302);
    expect(seen.slice(before)).toEqual(['/redirect']);
  });

  it.each(['/large', '/cut', '/slow'])(
    'no answer where it is too large, cut off or late: %s',
    async (path) => {
      expect((await allowed(`${origin}${path}`)).status).toBeNull();
    },
  );

  it.each([
    'http://127.0.0.1/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://0x7f.1/x',
    'https://localhost/x',
    'https://inside.example.test/x',
    'https://mixed.example.test/x',
    'ftp://example.test/x',
    'not an address',
  ])('asks nobody inside our networks: %s', async (url) => {
    const before = seen.length;
    expect((await strict(url)).status).toBeNull();
    expect(seen).toHaveLength(before);
  });
});
