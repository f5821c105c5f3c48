import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LockFile, lockComplaints } from '../lock-file.ts';

/** Returns what would make `npm ci` fail elsewhere, one text each. */
export function checkLock(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const complaints = lockComplaints(lock);
  return complaints.length > 0 ? [...complaints, 'Mend: node tools/src/complete-lock.ts'] : [];
}
