// A small share of layer Y7: what a worker's death, a receiver's fault and the clock do to
// deliveries, with the seeds of the cover. The soak runs two hundred thousand events, where the
// database crashes too.

import { scaled } from '@svc/tools/machine';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCover } from '../covers/expect-cover.ts';
import type { ScenarioReport } from '../kit/scenario.ts';

let report: ScenarioReport;
beforeAll(async () => {
  report = await runCover('deliveries');
}, scaled(60_000));

const violationsOf = (...rules: readonly string[]) =>
  report.violations.filter((one) => rules.some((rule) => one.includes(`: ${rule} `)));

describe('deliveries under fire', () => {
  it('E5: reach every endpoint that was subscribed, or end with all attempts on record', () => {
    expect(violationsOf('E5')).toEqual([]);
  });

  it('E6, E10: carry the same bytes and id on every attempt, and verify', () => {
    expect(violationsOf('E6', 'E10')).toEqual([]);
  });

  it('E7: keep the order of a resource for 60 seconds', () => {
    expect(violationsOf('E7')).toEqual([]);
  });

  it('E8, E9: are attempted by one worker at a time, few at once', () => {
    expect(violationsOf('E8', 'E9')).toEqual([]);
  });

  it('E12: what commits late is delivered, and read by who follows the list of events', () => {
    expect(violationsOf('E12')).toEqual([]);
  });

  it('break no other rule, and have met what they are to survive', () => {
    expect(report.violations).toEqual([]);
    expect(report.never).toEqual([]);
  });
});
