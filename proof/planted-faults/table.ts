// Writes proof/reports/planted-faults.md, which lists the level that catches each planted fault, after a
// run of all faults.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './run-all.ts';

const folder = join(import.meta.dirname, '../reports');

const head = [
  '# The planted faults',
  '',
  'Written by `npm run proof -- --only faults`: each mistake was made in the sources as they were loaded,',
  'and what is named here turned red. _gate_: a test of `npm test`. _proof_: `npm run proof` alone.',
];

/** Returns a cell of a table, on one line. */
const cell = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').slice(0, 120).trim();

const rowOf = ({ fault, level, suite, shown, seconds }: Verdict): string =>
  `| ${[cell(fault.name), level ?? 'none', `\`${suite}\``, cell(shown), seconds.toFixed(1)].join(' | ')} |`;

export function writeTable(verdicts: readonly Verdict[]): void {
  const gate = verdicts.filter(({ level }) => level === 'gate').length;
  const alone = verdicts.filter(({ level }) => level === 'proof').length;
  const survived = verdicts.length - gate - alone;
  const sum = `${verdicts.length} faults: ${gate} caught by the gate, ${alone} by the proof alone, ${survived} by nothing.`;
  const lines = [
    ...head,
    ...[sum, ''],
    '| Fault | Caught by | Suite | Test or violation | Seconds |',
    '| --- | --- | --- | --- | --- |',
    ...verdicts.map(rowOf),
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'planted-faults.md'), `${lines.join('\n')}\n`);
}
