// Layer Y1: the service's transition core against the reference model.

import { scaled } from '@svc/tools/machine';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCover } from '../covers/expect-cover.ts';
import type { ScenarioReport } from '../kit/scenario.ts';
import { wantedOfPureModel } from './expected-counters.ts';

let report: ScenarioReport;
beforeAll(async () => {
  report = await runCover('model');
}, scaled(60_000));

describe('the transition core', () => {
  it('agrees with the reference model after every command, and every amount comes back', () => {
    expect(report.violations).toEqual([]);
  });

  it.each(wantedOfPureModel)('has met: %s', (name) => {
    expect(report.never).not.toContain(name);
  });
});
