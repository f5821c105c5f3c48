import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Svc, SvcSignatureVerificationError } from './index.ts';

const { webhooks } = new Svc('sk_test_1');
const secret = 'svc_whsec_c2lnbmluZyBzZWNyZXQ=';
const payload = '{"id":"evt_1","type":"item.purchased","data":{"object":{}},"note":"Grüße"}';

const outcome = async (run: () => unknown): Promise<string> => {
  try {
    return JSON.stringify(await run());
  } catch (error) {
    expect(error).toBeInstanceOf(SvcSignatureVerificationError);
    return (error as Error).message;
  }
};
afterEach(() => vi.restoreAllMocks());

describe('constructEventAsync', () => {
  it('says what constructEvent says, of right and of changed deliveries', async () => {
    const header = webhooks.generateTestHeader({ payload, secret });
    const parts = fc.record({
      body: fc.constantFrom(payload, `${payload} `, payload.replace('item', 'atem'), '{}', ''),
      signature: fc.constantFrom(
        header,
        `${header},v1=${'0'.repeat(64)}`,
        `${header}0`,
        'v1=1',
        '',
      ),
      key: fc.constantFrom(secret, `${secret}x`, secret.replace('svc_', ''), 'plain', ''),
      tolerance: fc.constantFrom(300, -1, Number.NaN),
      isBytes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ body, signature, key, tolerance, isBytes }) => {
        const raw = isBytes ? new TextEncoder().encode(body) : body;
        const args = [raw, signature, key, tolerance] as const;
        const sync = await outcome(() => webhooks.constructEvent(...args));
        expect(await outcome(() => webhooks.constructEventAsync(...args))).toBe(sync);
      }),
      { numRuns: 200 },
    );
  });

  it('says the same of headers in the place of the header, and takes an ArrayBuffer', async () => {
    const header = webhooks.generateTestHeader({ payload, secret });
    for (const given of [{ 'svc-signature': header }, new Headers({ a: 'b' }), 7, [{}]]) {
      const args = [payload, given as never, secret] as const;
      const said = await outcome(() => webhooks.constructEventAsync(...args));
      expect(said).toContain("request.headers['svc-signature']");
      expect(await outcome(() => webhooks.constructEvent(...args))).toBe(said);
    }
    const { buffer } = new TextEncoder().encode(payload);
    expect((await webhooks.constructEventAsync(buffer, header, secret)).id).toBe('evt_1');
    const own = await webhooks.generateTestHeaderAsync({ payload: buffer, secret });
    expect((await webhooks.constructEventAsync(buffer, own, secret)).id).toBe('evt_1');
  });

  it('refuses what is older than the tolerance', async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 400;
    const header = await webhooks.generateTestHeaderAsync({ payload, secret, timestamp });
    expect(await outcome(() => webhooks.constructEventAsync(payload, header, secret))).toMatch(
      /40\d s old/,
    );
    const event = await webhooks.constructEventAsync(payload, header, secret, 500);
    expect(event.id).toBe('evt_1');
  });

  it('works without node:crypto, where constructEvent names it', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    const header = await webhooks.generateTestHeaderAsync({ payload, secret });
    expect((await webhooks.constructEventAsync(payload, header, secret)).type).toBe(
      'item.purchased',
    );
    for (const run of [
      () => webhooks.constructEvent(payload, header, secret),
      () => webhooks.generateTestHeader({ payload, secret }),
    ]) {
      expect(await outcome(run)).toMatch(/constructEventAsync.*generateTestHeaderAsync/);
    }
  });

  it('both handlers verify by it', async () => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    const seen: string[] = [];
    const handler = webhooks.toFetchHandler(({ id }) => void seen.push(id), secret);
    const header = await webhooks.generateTestHeaderAsync({ payload, secret });
    const headers = { 'svc-signature': header };
    const request = new Request('https://shop.example/', {
      method: 'POST',
      body: payload,
      headers,
    });
    expect((await handler(request)).status).toBe(200);
    expect(seen).toEqual(['evt_1']);
  });
});

describe('the library', () => {
  it('imports nothing of Node: a worker can load it', () => {
    const folder = new URL('.', import.meta.url);
    const sources = readdirSync(folder).filter((name) => /^(?!inbox)[\w-]+\.ts$/.test(name));
    const withNode = sources
      .filter((name) => !name.endsWith('.test.ts'))
      .filter((name) =>
        /from 'node:|import\('node:|\bBuffer\b/.test(readFileSync(new URL(name, folder), 'utf8')),
      );
    expect(sources.length).toBeGreaterThan(20);
    expect(withNode).toEqual([]);
  });
});
