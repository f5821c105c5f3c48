// svc events resend over a span of time, aborted. Its other tests are in trigger.test.ts.

import { expect, it } from 'vitest';
import { emptySurroundings } from '../../../test/command-line.ts';
import { newId } from '../../../test/harness.ts';
import { runCommand } from '../run.ts';

it('130 where Ctrl-C came before the end of the span, with the time to go on from', async () => {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const span = ['--endpoint', newId(), '--since', '2026-01-01'];
  const service = ['--api', 'http://127.0.0.1:1', '--client-id', newId(), '--api-token', 'svc_x'];
  const code = await runCommand(['events', 'resend', ...span, ...service], {
    out: sink('out'),
    err: sink('err'),
    signal: AbortSignal.abort(),
    databaseUrl: () => '',
    openPorts: () => {
      throw new Error('this command opens no database');
    },
    describeError: () => undefined,
    ...emptySurroundings,
  });
  expect([code, said.out]).toEqual([130, '']);
  expect(said.err).toContain('go on with --since 2026-01-01T00:00:00.000Z');
});
