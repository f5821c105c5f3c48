// Reports about the card form's policy, on its own origin: names alone reach the log.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addPolicyReports } from './policy-reports.ts';
import { createServer } from './server.ts';

const lines: string[] = [];
const app = createServer({ write: (line) => lines.push(line) });
beforeAll(async () => {
  addPolicyReports(app);
  await app.ready();
});
afterAll(() => app.close());

const post = (payload: string, type = 'application/reports+json') =>
  app.inject({
    method: 'POST',
    url: '/csp-reports',
    headers: { 'content-type': type },
    payload,
  });
const aReport = (documentURL: string) => ({
  type: 'csp-violation',
  body: {
    documentURL,
    blockedURL: 'https://evil.example/?n=4242424242424242',
    effectiveDirective: 'connect-src',
    sample: '4242424242424242',
  },
});

it('one line for a report about the form, none about another page, and nothing of the addresses', async () => {
  const documents = ['https://cards.example/form/1?parents=s1gned', 'https://cards.example/x'];
  const { statusCode } = await post(JSON.stringify(documents.map(aReport)));
  expect(statusCode).toBe(204);
  const told = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
  const fields = { directive: 'connect-src', blocked: 'https://evil.example' };
  expect(told).toMatchObject([{ route: '/form/:version', ...fields }]);
  expect(lines.join()).not.toMatch(/s1gned|4242|\?/);
});

it('a flood of one visitor behind a proxy leaves the others their reports', async () => {
  const behind = createServer({ write: () => undefined }, { trustedProxies: 1 });
  addPolicyReports(behind);
  const sendReport = async (addresses: string) => {
    const headers = { 'content-type': 'application/reports+json', 'x-forwarded-for': addresses };
    const call = { method: 'POST', url: '/csp-reports', headers, payload: '[]' } as const;
    return (await behind.inject(call)).statusCode;
  };
  for (let n = 0; n < 30; n++) await sendReport('203.0.113.7');
  // What a visitor claims of itself, in front of the proxy's own word, is not believed.
  expect([await sendReport('203.0.113.7'), await sendReport('198.51.100.1, 203.0.113.7')]).toEqual([
    429, 429,
  ]);
  expect(await sendReport('203.0.113.8')).toBe(204);
  await behind.close();
});

it('refuses what is no report, what is too large, other types, and a flood', async () => {
  expect((await post('{}')).statusCode).toBe(400);
  expect((await post(`[${' '.repeat(16_384)}]`)).statusCode).toBe(413);
  expect((await post('[]', 'application/json')).statusCode).toBe(415);
  const statuses: number[] = [];
  for (let n = 0; n < 35; n++) statuses.push((await post('[]')).statusCode);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  expect(statuses.at(-1)).toBe(429);
});
