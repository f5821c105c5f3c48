// Changes sources as they are loaded, in this process and in those that it starts; the files do not
// change. `hook.ts` applies the changes where Node loads a module, `plugin.ts` where vitest does.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Change } from './planted-fault.ts';

/**
 * Names a file with the changes. Its name does not begin with `SVC_`, because a start does not pass
 * such settings to its processes (tools/src/start/children.ts).
 */
const changesVariable = 'PLANTED_CHANGES';

const root = join(import.meta.dirname, '../..');

type PlantedChanges = {
  readonly changes: readonly Change[];
  /**
   * A file that gets one line of JSON for each changed file, and for each change that did not fit.
   */
  readonly log: string;
};

type Line = { readonly file: string; readonly misfit?: string };

/** Thrown when a change fits at no place or at two, or when its file was never loaded. */
export class PatchMisfit extends Error {}

/** Returns the text with the change. Throws unless the change fits at exactly one place. */
export function patched(text: string, { file, from, to }: Change): string {
  const places = text.split(from).length - 1;
  if (places !== 1) throw new PatchMisfit(`${file}: ${places} places for: ${from}`);
  // A function, because `$` has a special meaning in a replacement text.
  return text.replace(from, () => to);
}

/** Returns the text of the current file with all changes that concern it. */
const applyChanges = (text: string, changes: readonly Change[]): string =>
  changes.reduce(patched, text);

let known: { readonly from: string; readonly planted: PlantedChanges } | undefined;

function findPlanted(): PlantedChanges | undefined {
  const from = process.env[changesVariable];
  if (!from) return undefined;
  if (known?.from !== from) known = { from, planted: JSON.parse(readFileSync(from, 'utf8')) };
  return known?.planted;
}

const changesOf = (path: string): readonly Change[] =>
  findPlanted()?.changes.filter(({ file }) => resolve(root, file) === path) ?? [];

export const isChanged = (path: string): boolean => changesOf(path).length > 0;

/**
 * Returns the source of a module with the changes of this process; undefined when none concerns the
 * file.
 */
export function plantFaultIn(path: string, source: () => string): string | undefined {
  const planted = findPlanted();
  const changes = changesOf(path);
  const [first] = changes;
  if (!planted || !first) return undefined;
  const logChange = (line: Line) => appendFileSync(planted.log, `${JSON.stringify(line)}\n`);
  try {
    const text = applyChanges(source(), changes);
    logChange({ file: first.file });
    return text;
  } catch (error) {
    logChange({ file: first.file, misfit: String(error) });
    throw error;
  }
}

const hook = pathToFileURL(join(import.meta.dirname, 'hook.ts')).href;

/**
 * Returns the environment that makes a Node process load changed sources; empty when this process
 * has no changes.
 */
export function plantingEnv(): Readonly<Record<string, string>> {
  const from = process.env[changesVariable];
  if (!from) return {};
  // The compile cache is disabled, because it belongs to the unchanged sources.
  return {
    [changesVariable]: from,
    NODE_OPTIONS: `--import ${hook}`,
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
}

/**
 * Runs `work` with the environment that makes processes load changed sources. Throws `PatchMisfit`
 * when a change fits at no place or at two, before or during the work, and when a changed file was
 * never loaded by the end of the work.
 */
export async function withPlanted<T>(
  changes: readonly Change[],
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (changes.length === 0) return work({});
  const files = new Set(changes.map(({ file }) => file));
  for (const file of files) {
    const own = changes.filter((change) => change.file === file);
    applyChanges(readFileSync(join(root, file), 'utf8'), own);
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-planted-'));
  const [from, log] = [join(folder, 'changes.json'), join(folder, 'log')];
  writeFileSync(from, JSON.stringify({ changes, log } satisfies PlantedChanges));
  writeFileSync(log, '');
  try {
    const result = await work({
      [changesVariable]: from,
      NODE_OPTIONS: `--import ${hook}`,
      NODE_DISABLE_COMPILE_CACHE: '1',
    });
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    const told = lines.map((line) => JSON.parse(line) as Line);
    const misfit = told.find((line) => line.misfit !== undefined)?.misfit;
    if (misfit) throw new PatchMisfit(misfit);
    const missing = [...files].filter((file) => !told.some((line) => line.file === file));
    if (missing.length > 0) throw new PatchMisfit(`never loaded: ${missing.join(', ')}`);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
