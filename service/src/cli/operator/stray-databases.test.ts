// svc doctor and the databases that removed data folders have left behind.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import type { Ports } from '../../engine/ports.ts';
import type { Finding } from '../../engine/runs/doctor/finding.ts';
import { markFile } from './stray-databases.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-strays-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function aDatabase(name: string, dataDir: string | null, pid?: number) {
  const data = join(folder, name, 'cluster/data');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'table'), Buffer.alloc(2_000_000, 1));
  if (dataDir !== null) writeFileSync(join(folder, name, markFile), `${dataDir}\n`);
  if (pid !== undefined) writeFileSync(join(data, 'postmaster.pid'), `${pid}\n`);
}

/** Returns the doctor's finding; its other checks need a database, which is left out here. */
async function look(...args: string[]): Promise<Finding[]> {
  const ran = await runOn({} as Ports, ['doctor', '--json', ...args], {
    shelters: folder,
    openPorts: () => Promise.reject(new Error('no')),
    describeError: () => 'SVC_KEY is missing',
  });
  const { findings } = JSON.parse(ran.out) as { findings: Finding[] };
  return findings.filter(({ what }) => what === 'embedded databases');
}

it('names those whose data folder is gone, with their size; removes them when asked, and no other', async () => {
  const gone = join(folder, 'gone');
  aDatabase('aaaaaaaaaaaa', gone);
  aDatabase('bbbbbbbbbbbb', folder);
  aDatabase('cccccccccccc', null);
  aDatabase('dddddddddddd', gone, process.pid);
  aDatabase('of somebody else', gone);
  const place = `${join(folder, 'aaaaaaaaaaaa')} of ${gone}`;
  expect(await look()).toEqual([
    {
      ...{ what: 'embedded databases', verdict: 'note' },
      said: expect.stringMatching(/^1 embedded database whose data folder is gone \([23] MB\): /),
      mend: expect.stringContaining('svc doctor --remove-databases'),
    },
  ]);
  const [removed] = await look('--remove-databases');
  expect(removed?.said).toMatch(/^removed 1 embedded database/);
  expect(removed?.said).toContain(place);
  expect(await look()).toEqual([]);
  const left = ['bbbbbbbbbbbb', 'cccccccccccc', 'dddddddddddd', 'of somebody else'];
  expect(readdirSync(folder).sort()).toEqual(left);
});
