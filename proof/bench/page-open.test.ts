import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openFarAway } from './delay-proxy.ts';
import { openClosers } from './load/closers.ts';
import { describePageOpen, type PageRound } from './page-open.ts';
import { shopPage } from './shop-page.ts';

describe('far away', () => {
  it('every answer takes the round trip longer, and is what was answered', async () => {
    const closers = openClosers();
    try {
      const far = await openFarAway(closers);
      const server = createServer((asked, answer) => answer.writeHead(201).end(`at ${asked.url}`));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      await closers.add(() => server.close());
      const { ProxyAgent, request } = await import('undici');
      const dispatcher = new ProxyAgent({ uri: far.proxyUrl, proxyTunnel: false });
      await closers.add(() => dispatcher.close());
      const takeMarks = async () => {
        const began = performance.now();
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
        const { statusCode, body } = await request(url, { dispatcher });
        expect([statusCode, await body.text()]).toEqual([201, 'at /x']);
        return performance.now() - began;
      };
      await takeMarks();
      far.setRoundTrip(300);
      expect(await takeMarks()).toBeGreaterThanOrEqual(299);
    } finally {
      await closers.close();
    }
  });
});

describe('page open', () => {
  const marksOf = (interactive: number, attached: number) => ({ interactive, attached });
  const pageRound = (eager: number): PageRound => {
    const place = {
      'one-shot': marksOf(300, 200),
      shell: marksOf(260, 230),
      eager: marksOf(eager, 240),
    };
    return { roundTripMs: 60, near: place, across: place, hostedMs: 480, bareMs: 150 };
  };

  it('tells medians as shares of two round trips and of the one-shot design', () => {
    const text = describePageOpen([pageRound(150), pageRound(180), pageRound(900)]);
    expect(text).toContain(
      'form at once 180 ms = 1.50 of two round trips (at most 1.45), 0.60 of one-shot (at most 0.65)',
    );
    expect(text).toContain('cart 40 ms after one-shot');
    expect(text).toContain('hosted  480 ms = 4.00 of two round trips');
  });

  it('nothing of the plan ends the script that it stands in', () => {
    const plan = {
      design: 'eager',
      apiUrl: '</script><script>alert(1)',
      form: { formUrl: '', formOrigin: '' },
      shell: {},
      cart: {},
    } as const;
    expect(shopPage('', plan).match(/<\/script>/g)).toHaveLength(2);
  });
});
