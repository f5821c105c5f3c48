// `node tools/src/complete-lock.ts`, run after every `npm install`: adds the entries that npm left out of
// package-lock.json because this platform cannot use them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completed, type LockFile, lockComplaints } from './lock-file.ts';

const path = join(import.meta.dirname, '../../package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8')) as LockFile;
const complaints = lockComplaints(lock);
if (complaints.length > 0) writeFileSync(path, `${JSON.stringify(completed(lock), null, 2)}\n`);
console.log(
  complaints.length > 0
    ? `package-lock.json: ${complaints.length} mended`
    : 'package-lock.json: complete',
);
