// Which licences the packages in use may have, development tools included.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockEntry, LockFile } from '../lock-file.ts';

const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** File-level copyleft is allowed for a tool that only runs here, but not for what is shipped. */
const allowedForTools = new Set([...allowed, 'MPL-2.0', 'CC-BY-4.0']);

/** Returns whether an SPDX expression offers an allowed choice. */
export function isAllowed(expression: string, isTool = false): boolean {
  const set = isTool ? allowedForTools : allowed;
  const bare = expression.replaceAll(/[()]/g, ' ').replaceAll(/ WITH \S+/g, '');
  // Brackets can be ignored only when AND and OR are not mixed.
  if (/ OR /.test(bare) && / AND /.test(bare)) return false;
  if (/ AND /.test(bare)) return bare.split(' AND ').every((one) => set.has(one.trim()));
  return bare.split(' OR ').some((one) => set.has(one.trim()));
}

/** Returns the packages whose licence is not on the list, one text each. */
export function checkLicences(root: string): string[] {
  const { packages } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ) as LockFile;
  return Object.entries(packages).flatMap(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return [];
    const licence = licenceOf(root, path, entry);
    // The same package for another platform: one of its kind is installed and was checked.
    if (licence === undefined && entry.optional) return [];
    if (licence !== undefined && isAllowed(licence, entry.dev)) return [];
    return [`${path}: ${licence ?? 'no licence stated'}`];
  });
}

/** The installed package's own statement counts; the lock file repeats the registry's. */
function licenceOf(root: string, path: string, entry: LockEntry): string | undefined {
  try {
    const text = readFileSync(join(root, path, 'package.json'), 'utf8');
    return stated(JSON.parse(text) as LicenceFields) ?? entry.license;
  } catch {
    return entry.license;
  }
}

type LicenceFields = { license?: string | { type?: string }; licenses?: { type?: string }[] };

function stated({ license, licenses }: LicenceFields): string | undefined {
  if (typeof license === 'string') return license;
  if (license?.type) return license.type;
  return licenses?.map(({ type }) => type ?? 'unknown').join(' OR ');
}
