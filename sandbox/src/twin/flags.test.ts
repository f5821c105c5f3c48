import { describe, expect, test } from 'vitest';
import { BadFlag, readFlags } from './flags.ts';

const said = (args: string, env: Record<string, string> = {}): string => {
  try {
    readFlags(args.split(' '), env);
  } catch (error) {
    if (error instanceof BadFlag) return error.message;
    throw error;
  }
  return 'taken';
};

describe('flags', () => {
  test('without any: the port of the mock, memory, limits, nothing forwarded or compared', () => {
    expect(readFlags([], {})).toEqual({ wish: 'start', isJson: false, twin: { port: 12_111 } });
  });

  test('all of them', () => {
    const args =
      '--port=0 --file x.db --seed s --forward-to localhost:3000/hook --events charge.failed,refund.created';
    const more = '--clock 2026-01-31T12:00:00Z --no-limits --older-versions --record --json';
    const env = { SVC_RECORD_KEY: 'sk_test_x', SVC_RECORD_URL: 'http://127.0.0.1:1/' };
    expect(readFlags(`${args} ${more}`.split(' '), env)).toEqual({
      wish: 'start',
      isJson: true,
      record: { url: 'http://127.0.0.1:1', secretKey: 'sk_test_x' },
      twin: {
        ...{ port: 0, file: 'x.db', seed: 's', limits: false, olderVersions: true },
        forwardTo: 'http://localhost:3000/hook',
        forwardEvents: ['charge.failed', 'refund.created'],
        clock: new Date('2026-01-31T12:00:00Z'),
      },
    });
  });

  test.each([
    ['--prot 1', 'there is no flag --prot; did you mean --port?'],
    ['--forward=x', 'there is no flag --forward; did you mean --forward-to?'],
    ['--language', 'there is no flag --language; see --help'],
    ['start', 'start is not a flag; see --help'],
    ['--file', '--file needs a value; see --help'],
    ['--json=yes', '--json takes no value'],
    ['--port 70000', '--port must be a whole number from 0 to 65535, not "70000"'],
    ['--clock yesterday', /^--clock must be an instant from 2000 to 2199 such as .*"yesterday"$/],
    ['--forward-to http://shop.example/', /^--forward-to must be on this machine/],
    ['--events charge.failed', /give an address$/],
    ['--forward-to :3000 --events Charge', /^--forward-to must be an address/],
    ['--forward-to localhost:3000 --events Charge', /^--events must be types .*"Charge"$/],
    ['--record', /^--record needs .*SVC_RECORD_KEY=sk_test_…$/],
  ])('refuses %s in a sentence', (args, sentence) => {
    expect(said(args)).toMatch(sentence);
  });

  test('a key of live mode is refused', () => {
    expect(said('--record', { SVC_RECORD_KEY: 'sk_live_abc' })).toMatch(/needs the secret key/);
  });
});
