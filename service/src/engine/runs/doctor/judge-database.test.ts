// Faults of a server that no test can plant: its version, its permissions, its clock and its
// archive.

import { describe, expect, it } from 'vitest';
import type { ServerFacts } from '../../../storage/doctor/read-facts.ts';
import { judgeBackups, judgeServer } from './judge-database.ts';
import { judgeNode } from './judge-settings.ts';

const nowMs = 1_800_000_000_000;
const sound: ServerFacts = {
  versionNumber: 150_004,
  version: '15.4',
  encoding: 'UTF8',
  role: 'svc_service',
  isSuperuser: false,
  ownsTables: false,
  isReadOnly: false,
  fsync: 'on',
  fullPageWrites: 'on',
  archiveMode: 'on',
  archivedSecondsAgo: 300,
  archiveFailures: 0,
  connectionsLeft: 50,
  slots: [],
  standbys: [],
  nowMs,
};
const around = { nowMs, isWritable: true, mode: 'live' } as const;
const wrongFindings = (facts: Partial<ServerFacts>) =>
  judgeServer({ ...sound, ...facts }, around)
    .filter(({ verdict }) => verdict === 'wrong')
    .map(({ what, said }) => `${what}: ${said}`);

describe('a server', () => {
  it('that is sound', () => {
    expect(wrongFindings({})).toEqual([]);
  });

  it.each<[Partial<ServerFacts>, string]>([
    [
      { versionNumber: 130_012, version: '13.12' },
      'database version: PostgreSQL 13.12 is too old: statements of the service may fail',
    ],
    [
      { encoding: 'SQL_ASCII' },
      'database encoding: SQL_ASCII: the database checks and counts bytes, not letters, so names may be refused or torn',
    ],
    [
      { encoding: 'LATIN1' },
      'database encoding: LATIN1: the database refuses names with letters that it lacks',
    ],
    [
      { isSuperuser: true },
      'database role: svc_service is a superuser: row security, which keeps merchants apart, does not apply to it',
    ],
    [
      { fsync: 'off' },
      'database settings: fsync is off: a crash loses payments that were answered',
    ],
    [
      { fullPageWrites: 'off' },
      'database settings: full_page_writes is off: a crash loses payments that were answered',
    ],
    [{ connectionsLeft: 9 }, 'database connections: only 9 are left: without one, requests fail'],
    [
      { nowMs: nowMs - 2001 },
      'database time: 2001 ms away from this machine: leases and repeats are timed by both clocks',
    ],
    [
      { nowMs: nowMs + 2001 },
      'database time: 2001 ms away from this machine: leases and repeats are timed by both clocks',
    ],
  ])('%j', (facts, said) => {
    expect(wrongFindings(facts)).toEqual([said]);
  });

  it('that accepts no write, though it is no standby', () => {
    const facts = judgeServer(sound, { ...around, isWritable: false });
    expect(facts.find(({ what }) => what === 'database writes')).toMatchObject({
      verdict: 'wrong',
      said: 'a write failed, so nobody can pay: the disk is full, or the synchronous standby is missing',
    });
  });
});

describe("the server's archive of its log", () => {
  it.each<[Partial<ServerFacts>, string, string]>([
    [{}, 'good', 'the log was archived 0 h ago'],
    [
      { archiveFailures: 3 },
      'wrong',
      'the last attempt to archive the log failed: later payments would be lost with the disk',
    ],
    [
      { archivedSecondsAgo: null },
      'wrong',
      'nothing was archived yet: after the loss of a disk nothing could be restored',
    ],
    [
      { archivedSecondsAgo: 90_000 },
      'wrong',
      'the last archive is 25 h old: later payments would be lost with the disk',
    ],
    [
      { archiveMode: 'off' },
      'note',
      'the server archives no log, and no folder with backups was named: whether there are backups is not known',
    ],
  ])('%j', (facts, verdict, said) => {
    expect(judgeBackups({ ...sound, ...facts }, null)).toMatchObject({ verdict, said });
  });
});

it('a Node that is too old', () => {
  expect(judgeNode('v18.20.4')).toMatchObject({
    verdict: 'wrong',
    said: 'v18.20.4 cannot run the service, which needs Node 22.18 or later',
  });
  for (const [verdict, ...versions] of [
    ['wrong', 'v20.19.5', 'v22.17.1', 'v23.5.0'],
    ['good', 'v22.18.0', 'v23.6.0', 'v24.0.0'],
  ] as const) {
    expect(versions.map((one) => judgeNode(one).verdict)).toEqual(versions.map(() => verdict));
  }
});
