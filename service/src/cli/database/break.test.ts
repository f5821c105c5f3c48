// Tests of svc break without an installation: its arguments, what it refuses, how it judges and what it prints. A run on
// what is installed is in the proof: proof/release, proof/registry.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import type { Ports } from '../../engine/ports.ts';
import { openBreak } from '../../start/break/break.ts';
import {
  findStrangers,
  isEqual,
  judgeOrders,
  type Movement,
  sumAll,
} from '../../start/break/judge.ts';
import type { BreakReport } from '../line/command.ts';

const order = {
  ...{ reference: 'order-1', currency: 'EUR', sessions: new Set(['session-1']), problems: [] },
  ...{ capturedMinor: 1490, refundedMinor: 500 },
};
const booked = {
  ...{ sessionId: 'session-1', currency: 'EUR', capturedMinor: 1490, refundedMinor: 500 },
};
const move = (kind: string, amount: number, intent = 'pi_1'): Movement => ({
  ...{ kind, intent, amount, currency: 'eur' },
  metadata: kind === 'authorize' && intent === 'pi_1' ? { session_id: 'session-1' } : {},
});
const sound = [move('authorize', 1490), move('capture', 1490), move('refund', 500)];
const judge = (ledger: readonly Movement[], books = [booked], orders = [order]) => {
  const evidence = { orders, ledger, books };
  const sums = sumAll(evidence);
  return {
    ...{ sums, isSumEqual: sums.every(isEqual) },
    problems: [...judgeOrders(evidence), ...findStrangers(evidence)],
  };
};

describe('svc break, its judge', () => {
  it('right: ledger, books and what the shop was told agree', () => {
    expect(judge(sound)).toMatchObject({ problems: [], isSumEqual: true });
  });

  it('WRONG: captured twice, also where books and shop know of one', () => {
    const { problems, isSumEqual } = judge([...sound, move('capture', 1490)]);
    expect(isSumEqual).toBe(false);
    expect(problems).toEqual([
      'order order-1: captured 2 times',
      'order order-1: captured: provider 29.80 EUR, shop was told 14.90 EUR, books 14.90 EUR',
    ]);
  });

  it.each<[string, Parameters<typeof judge>, RegExp]>([
    ['refunded twice', [[...sound, move('refund', 500)]], /refunded: provider 10\.00 EUR/],
    ['a refund lost', [sound.slice(0, 2)], /refunded: provider 0\.00 EUR, shop was told 5\.00/],
    ['held twice', [[...sound, move('authorize', 1490)]], /held 2 times/],
    ['books behind', [sound, [{ ...booked, capturedMinor: 0 }]], /books 0\.00 EUR/],
    ['shop told nothing', [sound, [booked], [{ ...order, capturedMinor: 0 }]], /told 0\.00 EUR/],
    [
      'money of no order',
      [[...sound, move('capture', 1, 'pi_2')]],
      /no order has pi_2: 1 captures/,
    ],
  ])('WRONG: %s', (_, given, said) => {
    expect(judge(...given).problems).toEqual([expect.stringMatching(said)]);
  });
});

const report = (ledger: readonly Movement[]): BreakReport => {
  const { sums, problems } = judge(ledger);
  const scene = {
    name: 'kill -9 of the service',
    did: '3 times',
    orders: 1,
    captured: 1,
    refunded: 1,
  };
  return {
    ...{ scenes: [{ ...scene, problems }], sums, problems, inDoubt: 0, commands: [] },
    shipped: { wanted: 1, heard: 1, twice: 0 },
  };
};

const breakOn = (ledger: readonly Movement[], args: readonly string[] = []) =>
  runOn({} as Ports, ['break', ...args], {
    openBreak: () => async (_, work) => {
      const places = { apiUrl: '', providerUrl: '', clientId: '', apiToken: '' };
      work.opened({ ...places, server: '18.4', tookMs: 9000 });
      for (const scene of report(ledger).scenes) work.told(scene);
      await work.ended(report(ledger));
      return report(ledger);
    },
  });

describe('svc break', () => {
  it('0 and a table where everything agrees; --json writes it all', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-break-test-'));
    try {
      const file = join(folder, 'report.json');
      const { code, out } = await breakOn(sound, ['--json', file, '--seed', '7']);
      expect(code).toBe(0);
      expect(out).toMatch(
        /^right {4}kill -9 of the service: 3 times\n {9}1 order: 1 captured once/m,
      );
      expect(out).toMatch(/^captured EUR +14\.90 \(1\) +14\.90 \(1\) +14\.90 \(1\) +0\.00$/m);
      expect(out).toContain('Everything agrees');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ seed: 7, ...report(sound) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('1 and WRONG where the ledger has a second capture', async () => {
    const { code, out } = await breakOn([...sound, move('capture', 1490)]);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^WRONG {4}kill -9[\s\S]*^WRONG: 2 findings/m),
    ]);
    expect(out).toMatch(/^captured EUR +29\.80 \(2\) +14\.90 \(1\) +14\.90 \(1\) +14\.90$/m);
    expect(out).not.toContain('Everything agrees');
  });

  it.each([
    [['--minutes', '0'], /--minutes is a number from 1 to 60: 0/],
    [['--minutes', 'ten'], /--minutes is a number from 1 to 60: ten/],
    [['--seed', '-1'], /--seed is a whole number|--seed/],
    [['--seed=abc'], /--seed is a whole number of at most nine digits: abc/],
    [['--json='], /--json names no file/],
    [['--json', '/no/such/folder/report.json'], /--json: ENOENT/],
    [['--url', 'http://localhost:4000'], /--url is no flag/],
    [['twice'], /Unexpected argument 'twice'/],
  ])('2 for %j, and nothing is started', async (args, said) => {
    const ran = await runOn({} as Ports, ['break', ...args]);
    expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringMatching(said) });
  });

  it.each([
    [
      { SVC_MODE: 'live' },
      /^installation_not_sandbox: .* in live mode, with a provider's real account/,
    ],
    [{ SVC_MODE: 'test' }, /^installation_not_sandbox: .* in test mode/],
    [
      { SVC_PROVIDER_URL: 'https://api.example.com/v1' },
      /^provider_not_sandbox: .* https:\/\/api\.example\.com,/,
    ],
  ])('%j is refused', (env, said) => {
    expect(() => openBreak(env)).toThrow(said);
  });
});
