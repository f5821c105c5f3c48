// A few of the planted faults; all of them run in the soak. A suite that misses one proves nothing.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { describe, expect, it } from 'vitest';
import { plantedFaults } from './faults.ts';
import { describeVerdict, plantAll } from './run-all.ts';

// Far more than it takes on two quiet cores: a busy machine is no survivor.
const withinMs = 900_000;

describe('planted faults', () => {
  it(
    'each of the quick ones turns its suite red, and a harmless change does not',
    async () => {
      const quick = plantedFaults.filter(({ isQuick }) => isQuick);
      const harmless = {
        name: 'a comment',
        suite: quick[0]?.suite ?? '',
        caughtBy: /./,
        changes: [
          {
            file: 'service/src/domain/operation.ts',
            from: 'export const providerKey',
            to: '// Nothing.\nexport const providerKey',
          },
        ],
      };
      expect(quick.length).toBeGreaterThan(3);
      const verdicts = await plantAll([...quick, harmless]);
      const survivors = verdicts.filter((verdict) => !verdict.isCaught);
      expect(
        survivors.map(({ fault }) => fault.name),
        verdicts.map(describeVerdict).join('\n'),
      ).toEqual(['a comment']);
    },
    withinMs,
  );

  it('every one of them fits the sources of today', () => {
    const misfits = plantedFaults.filter(({ changes }) =>
      changes.some(
        ({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2,
      ),
    );
    expect(misfits.map(({ name }) => name)).toEqual([]);
  });
});
