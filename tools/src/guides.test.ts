// Runs the shell commands of the guides as readers paste them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/guides');
const shellOf = (text: string): string =>
  [...text.matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```$/gm)].map(([, code]) => code).join('');

describe.each(
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, shellOf(readFileSync(join(folder, name), 'utf8'))] as const)
    .filter(([, code]) => code.includes('curl ')),
)('%s', (_, code) => {
  it('calls the service at $API, so that one line says where it is', () => {
    const calls = code.split('\n').filter((line) => /localhost:4000/.test(line));
    expect(calls.filter((line) => !/^ *API=http:\/\/localhost:4000\b/.test(line))).toEqual([]);
  });

  it('says what each of its variables is, before it is used', () => {
    const known = new Set<string>();
    const unknown: string[] = [];
    for (const line of code.split('\n')) {
      for (const [, name = ''] of line.matchAll(/\$(\w+)/g)) {
        if (!known.has(name)) unknown.push(name);
      }
      for (const [, name = ''] of line.matchAll(/(?:^|\s)(\w+)=/g)) known.add(name);
    }
    expect(unknown).toEqual([]);
  });
});
