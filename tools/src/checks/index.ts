// The checks of `npm test` and `npm run check` that are not tests: what they check and how they run.
import { join } from 'node:path';
import { checkRooms } from './check-rooms.ts';
import { checkCircles } from './circles.ts';
import { runCommand } from './command.ts';
import { checkCommits } from './commit-subjects.ts';
import { checkEventPages } from './event-pages.ts';
import { checkLicences } from './licences.ts';
import { checkLock } from './lock.ts';
import { checkSpecRows } from './spec-rows.ts';
import { checkVersion } from './version.ts';

export type Check = {
  name: string;
  /** Returns what is wrong, ready to print; an empty text when nothing is. */
  run(root: string): Promise<string>;
};

/** Checks for circles of imports, and for imports that leave a room: docs/decisions/layers.md. */
export const circles = async (root: string): Promise<string> =>
  [...checkCircles(root), ...checkRooms(root)].join('\n');

/** All checks except the tests, in the order in which they run. */
export const checks: readonly Check[] = [
  { name: 'types', run: types },
  { name: 'format, lint', run: lint },
  { name: 'dead code', run: deadCode },
  { name: 'circles and rooms', run: circles },
  { name: 'commit subjects', run: checkCommits },
  { name: 'licences', run: async (at) => checkLicences(at).join('\n') },
  { name: 'lock file', run: async (at) => checkLock(at).join('\n') },
  { name: 'version', run: async (at) => checkVersion(at).join('\n') },
  { name: 'specification rows', run: async (at) => checkSpecRows(at).join('\n') },
  { name: 'event pages', run: async (at) => checkEventPages(at).join('\n') },
];

export async function types(root: string): Promise<string> {
  const configs = ['tsconfig.json', 'tsconfig.browser.json'];
  const said = configs.map((config) =>
    outputOfFailed(root, [program('tsc'), '--pretty', 'false', '-p', config]),
  );
  return (await Promise.all(said)).filter(Boolean).join('\n');
}

export function lint(root: string): Promise<string> {
  const command = [program('biome'), 'check', '--error-on-warnings', '--max-diagnostics=100'];
  return outputOfFailed(root, [...command, '--colors=off', '.']);
}

export function deadCode(root: string): Promise<string> {
  return outputOfFailed(root, [program('knip'), '--no-progress']);
}

/** Returns the command's output if it failed. */
async function outputOfFailed(root: string, command: readonly string[]): Promise<string> {
  const { code, output } = await runCommand(root, command, { isPatient: true });
  return code === 0 ? '' : output.trim() || `${command.join(' ')}: exit code ${code}`;
}

function program(name: string): string {
  return join(import.meta.dirname, '../../../node_modules/.bin', name);
}
