// docs/guides/planted-faults.md: which level catches each planted fault. Written where all were planted.

import { writeFileSync } from 'node:fs';
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

/** A cell of a table, on one line. */
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
