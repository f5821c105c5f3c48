// Layer Y2: the service over HTTP against the reference model.

import { scaled } from '@svc/tools/machine';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCover } from '../covers/expect-cover.ts';
import type { ScenarioReport } from '../kit/scenario.ts';
import { wantedOfApiModel } from './expected-counters.ts';

let report: ScenarioReport;
beforeAll(async () => {
  report = await runCover('api-model');
  // Half a minute of work on a quiet machine; the limit ends a run that hangs.
}, scaled(300_000));

describe('the service over HTTP', () => {
  it('answers as the reference model does, and history, lists and ledger agree at the end', () => {
    expect(report.violations).toEqual([]);
  });

  it.each(wantedOfApiModel)('has met: %s', (name) => {
    expect(report.never).not.toContain(name);
  });
});
