// The table of the planted faults, and the level that catches each: written to proof/reports/planted-faults.md after a
// run of all faults, printed from proof/gate/choice.json by `node proof/gate/main.ts`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './run-all.ts';

const folder = join(import.meta.dirname, '../reports');

export type FaultRow = Pick<Verdict, 'level' | 'suite' | 'shown' | 'seconds'> & {
  readonly name: string;
};

const head = [
  '# The planted faults',
  '',
  'Each mistake was made in the sources as they were loaded, and what is named here turned red. _gate_: a test of',
  '`npm test`. _proof_: `npm run proof` alone.',
];

/** Returns a cell of a table, on one line. */
const cell = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').slice(0, 120).trim();

const lineOf = ({ name, level, suite, shown, seconds }: FaultRow): string =>
  `| ${[cell(name), level ?? 'none', `\`${suite}\``, cell(shown), seconds.toFixed(1)].join(' | ')} |`;

/** Returns the table as Markdown. */
export function faultTable(rows: readonly FaultRow[]): string {
  const gate = rows.filter(({ level }) => level === 'gate').length;
  const alone = rows.filter(({ level }) => level === 'proof').length;
  const survived = rows.length - gate - alone;
  const sum = `${rows.length} faults: ${gate} caught by the gate, ${alone} by the proof alone, ${survived} by nothing.`;
  const lines = [
    ...head,
    ...[sum, ''],
    '| Fault | Caught by | Suite | Test or violation | Seconds |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(lineOf),
  ];
  return `${lines.join('\n')}\n`;
}

export function writeTable(verdicts: readonly Verdict[]): void {
  mkdirSync(folder, { recursive: true });
  const rows = verdicts.map(({ fault, ...verdict }) => ({ ...verdict, name: fault.name }));
  writeFileSync(join(folder, 'planted-faults.md'), faultTable(rows));
}
