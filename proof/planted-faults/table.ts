// Writes docs/guides/planted-faults.md, which lists the level that catches each planted fault,
// after a run of all faults.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './run-all.ts';

const file = join(import.meta.dirname, '../../docs/guides/planted-faults.md');

const head = [
  '# The planted faults',
  '',
  'Written by `npm run proof -- --only faults`: each mistake was made in the sources as they were loaded,',
  'and what is named here turned red. _gate_: a test of `npm test`. _proof_: `npm run proof` alone.',
  '[How the proof works](proof.md).',
  '',
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
  writeFileSync(file, `${lines.join('\n')}\n`);
}

export type ListedFault = { readonly name: string; readonly level: string };

/** Returns the faults that the table lists. */
export function readTable(): ListedFault[] {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => {
    const [name = '', level = ''] = row.slice(2, -2).split(' | ');
    return { name: name.replaceAll('\\|', '|'), level };
  });
}

/** Returns a fault's name as the table writes it. */
export const listedName = ({ name }: { readonly name: string }): string =>
  cell(name).replaceAll('\\|', '|');
