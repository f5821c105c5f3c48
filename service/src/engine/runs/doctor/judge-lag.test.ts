// Faults that no test can plant: standbys that are late, disks that are full, proxies of other machines.

import type { SeenRequest } from '@svc/contract/servers/seen-request';
import { describe, expect, it } from 'vitest';
import type { ServerFacts } from '../../../storage/doctor/read-facts.ts';
import type { Finding } from './finding.ts';
import { judgeDisk } from './judge-disk.ts';
import { judgeReadUrl, judgeReplication, judgeWorkers } from './judge-lag.ts';
import { judgeSeen } from './judge-proxies.ts';

const gigabyte = 1024 ** 3;
const brief = ({ verdict, what, said }: Finding) => `${verdict} ${what}: ${said}`;

describe('DATABASE_READ_URL', () => {
  it.each<[string, Parameters<typeof judgeReadUrl>[0], string[]]>([
    ['not set', null, []],
    ['a standby', { asOf: new Date() }, ['good standby: reports are counted there']],
    [
      'a primary',
      { unfit: 'no standby', behindMs: null },
      ['wrong standby: DATABASE_READ_URL names a server that is no standby: nothing is read there'],
    ],
    [
      'a standby of another installation',
      { unfit: 'foreign', behindMs: 0 },
      ['wrong standby: DATABASE_READ_URL names another database: nothing is read there'],
    ],
    [
      'behind',
      { unfit: 'behind', behindMs: 130_000 },
      ['wrong standby: is 2 min behind, and is passed over: the database counts by itself'],
    ],
    [
      'silent',
      { unfit: 'silent', error: new Error('connect ECONNREFUSED 10.0.0.2:5432') },
      [
        'wrong standby: DATABASE_READ_URL does not answer (connect ECONNREFUSED 10.0.0.2:5432): the database counts by itself',
      ],
    ],
  ])('%s', (_, state, said) => {
    expect([...judgeReadUrl(state)].map(brief)).toEqual(said);
  });
});

describe('replication', () => {
  const of = (facts: Partial<Pick<ServerFacts, 'slots' | 'standbys'>>) =>
    judgeReplication({ slots: [], standbys: [], ...facts } as unknown as ServerFacts).map(brief);
  const slot = { name: 'one', isActive: true, isLost: false, keptBytes: 16 };
  const standby = { name: 'two', behindBytes: 16, behindSeconds: 0.2 };

  it('no standby, and one that keeps up', () => {
    expect(of({})).toEqual(['good replication: no standby']);
    expect(of({ slots: [slot], standbys: [standby] })).toEqual([
      'good replication: standbys that keep up: 1',
    ]);
  });

  it.each<[string, Parameters<typeof of>[0], string]>([
    [
      'a slot that nobody reads fills the disk',
      { slots: [{ ...slot, isActive: false, keptBytes: 5 * gigabyte }] },
      'wrong replication: slot one has no reader and keeps 5.0 GB of the log: it fills the disk',
    ],
    [
      'a slot without a reader for now',
      { slots: [{ ...slot, isActive: false }] },
      'note replication: slot one has no reader and keeps 0.0 GB of the log: that grows until the disk is full',
    ],
    [
      'a slot that was given up',
      { slots: [{ ...slot, isLost: true, keptBytes: null }] },
      'wrong replication: slot one: the server has removed what its standby still needs, and the standby falls behind for good',
    ],
    [
      'a standby that is minutes behind',
      { standbys: [{ ...standby, behindSeconds: 120 }] },
      'wrong replication: two is 120 s and 0.0 GB behind: what it lacks is lost with the primary',
    ],
    [
      'a standby that is gigabytes behind',
      { standbys: [{ ...standby, behindBytes: 2 * gigabyte, behindSeconds: null }] },
      'wrong replication: two is 0 s and 2.0 GB behind: what it lacks is lost with the primary',
    ],
    [
      'a role that may not see it',
      { standbys: [{ name: null, behindBytes: null, behindSeconds: null }] },
      'note replication: a standby: this role may not see how far it is behind, so nobody knows what would be lost with the primary',
    ],
  ])('%s', (_, facts, said) => {
    expect(of(facts)).toEqual([said]);
  });
});

describe('workers', () => {
  const none = { deliveries: 0, payments: 0, notices: 0, renewals: 0 };

  it('what waits for its usual turn is not late, and what waits longer is named', () => {
    const usual = { ...none, payments: 590 };
    expect(judgeWorkers({ lateSeconds: usual, reconciledSecondsAgo: 3_600 }).map(brief)).toEqual([
      'good workers: nothing is late',
      'good hourly comparison: made in the last hours',
    ]);
    const late = { ...none, deliveries: 660, renewals: 7_200 };
    expect(judgeWorkers({ lateSeconds: late, reconciledSecondsAgo: 18_000 }).map(brief)).toEqual([
      'wrong workers: due and not begun: deliveries of webhooks for 11 min, renewals of subscriptions for 120 min. Merchants and buyers wait for it',
      'wrong hourly comparison: the last one with the provider ended 5 h ago: differences of money are not found',
    ]);
  });

  it('names the line of the log that a worker writes when it fails', () => {
    const [late] = judgeWorkers({
      lateSeconds: { ...none, notices: 660 },
      reconciledSecondsAgo: 0,
    });
    expect(late?.mend).toContain('"a run of a worker failed"');
  });

  it('a database without a comparison is new', () => {
    expect(
      brief(judgeWorkers({ lateSeconds: none, reconciledSecondsAgo: null })[1] as Finding),
    ).toBe('note hourly comparison: none yet: the first follows a minute after the start');
  });
});

describe('a disk', () => {
  const disk = { bsize: 4096, blocks: 100 * 262_144, bavail: 50 * 262_144, files: 0, ffree: 0 };
  const of = (facts: Partial<typeof disk>) => brief(judgeDisk('/srv', { ...disk, ...facts }));

  it.each<[string, Partial<typeof disk>, string]>([
    ['with room', {}, 'good disk of /srv: 50.0 GB free, 50 %'],
    [
      'with little room',
      { bavail: 12 * 262_144 },
      'note disk of /srv: 12.0 GB free, 12 %: a full disk stops all payments',
    ],
    [
      'nearly full',
      { bavail: 4 * 262_144 },
      'wrong disk of /srv: 4.0 GB free, 4 %: a full disk stops all payments',
    ],
    [
      'small, with less than a gigabyte',
      { blocks: 262_144, bavail: 200_000 },
      'wrong disk of /srv: 0.8 GB free, 76 %: a full disk stops all payments',
    ],
    [
      'without room for files',
      { files: 1000, ffree: 10 },
      'wrong disk of /srv: only 10 of 1000 files can still be made: a full disk stops all payments',
    ],
    ['that has no size', { blocks: 0, bavail: 0 }, 'good disk of /srv: 0.0 GB free, 100 %'],
  ])('%s', (_, facts, said) => {
    expect(of(facts)).toBe(said);
  });
});

describe('proxies', () => {
  const probe = '192.0.2.1';
  const behind = { what: 'proxies', setting: 'SVC_TRUSTED_PROXIES', host: 'pay.example' };
  const one = { host: 'pay.example', forwarded: 2, first: probe, trusted: 1, missing: [] };
  const of = (seen: Partial<SeenRequest>) => brief(judgeSeen({ ...one, ...seen }, behind));

  it.each<[string, Parameters<typeof of>[0], string]>([
    ['one that adds', {}, 'good proxies: in front and trusted: 1'],
    [
      'one that replaces',
      { forwarded: 1, first: '203.0.113.9' },
      'good proxies: in front and trusted: 1',
    ],
    ['none', { forwarded: 1, trusted: 0 }, 'good proxies: none is in front'],
    [
      'more trusted than there are',
      { trusted: 2 },
      'wrong proxies: proxies trusted: 2, in front: 1. So anybody can name an address that is not theirs',
    ],
    [
      'fewer trusted than there are',
      { forwarded: 3 },
      'wrong proxies: proxies trusted: 1, in front: 2. So limits count all buyers as one, by the address of a proxy',
    ],
    [
      'one that takes the list away',
      { forwarded: 0, first: null, trusted: 0 },
      'wrong proxies: a proxy takes away X-Forwarded-For and adds none: limits count all buyers as one',
    ],
    [
      'one that names another host',
      { host: '10.0.0.7:4000' },
      'wrong proxies: a request for pay.example arrives as one for 10.0.0.7: the service does not learn which name was called',
    ],
    [
      'one that drops headers',
      { missing: ['idempotency-key'] },
      'wrong proxies: a proxy takes away idempotency-key: calls that need it fail',
    ],
  ])('%s', (_, seen, said) => {
    expect(of(seen)).toBe(said);
  });
});
