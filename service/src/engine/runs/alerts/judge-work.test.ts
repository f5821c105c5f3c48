import { expect, it } from 'vitest';
import type { Work } from '../../../storage/doctor/read-work.ts';
import { judgeWork as judge } from './judge-work.ts';

const healthy: Work = {
  removed: [],
  waiting: {
    failingEndpoints: 0,
    lateMails: 0,
    lateSeconds: { deliveries: 0, payments: 0, notices: 0, renewals: 0 },
    reconciledSecondsAgo: 60,
  },
  operations: [{ state: 'active', count: 3, oldestSeconds: 900 }],
  money: {
    holdsWithinHour: 0,
    holdsWithinDay: 0,
    openHolds: 9,
    unknownMoney: 0,
    differences: 0,
    refusedGateways: 0,
  },
  endpoints: [{ endpointId: 'e', clientId: 'c', failingSeconds: 3500, pending: 4 }],
};

const judgeWork = (work: Work) => judge(work, { hasMail: true });

it('says nothing of an installation in health', () => {
  expect(judgeWork(healthy)).toEqual([]);
});

const { waiting, money } = healthy;
const endpoint = { endpointId: 'e', clientId: 'c', pending: 4 };

it.each<[string, Partial<Work>]>([
  ['payment_in_doubt', { operations: [{ state: 'in_doubt', count: 1, oldestSeconds: 301 }] }],
  ['payment_needs_decision', { operations: [{ state: 'manual', count: 2, oldestSeconds: 1 }] }],
  ['unknown_money', { money: { ...money, unknownMoney: 1 } }],
  ['reconcile_difference', { money: { ...money, differences: 1 } }],
  ['gateway_refused', { money: { ...money, refusedGateways: 1 } }],
  ['holds_end', { money: { ...money, holdsWithinDay: 1 } }],
  ['endpoint_fails', { endpoints: [{ ...endpoint, failingSeconds: 3601 }] }],
  ['mails_wait', { waiting: { ...waiting, lateMails: 1 } }],
  ['workers', { waiting: { ...waiting, lateSeconds: { ...waiting.lateSeconds, notices: 601 } } }],
  ['hourly_comparison', { waiting: { ...waiting, reconciledSecondsAgo: 10_801 } }],
])('tells of %s', (kind, planted) => {
  const alerts = judgeWork({ ...healthy, ...planted });
  expect(alerts.map((alert) => alert.kind)).toEqual([kind]);
  expect(alerts[0]?.mend).not.toBe('');
});

it('tells of an endpoint that fails for a day a second time', () => {
  const endpoints = [{ ...endpoint, failingSeconds: 86_401 }];
  expect(judgeWork({ ...healthy, endpoints }).map(({ kind, subject }) => [kind, subject])).toEqual([
    ['endpoint_fails', 'e'],
    ['endpoint_fails_for_a_day', 'e'],
  ]);
});

it('says nothing of mails that wait for want of a mail server', () => {
  const late = { ...healthy, waiting: { ...waiting, lateMails: 3 } };
  expect(judge(late, { hasMail: false })).toEqual([]);
});
