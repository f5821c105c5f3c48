// Judges the room on a disk. The database cannot tell it: it is read where its files are.
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

/** What `statfs` says of a file system. */
export type DiskFacts = {
  readonly bsize: number;
  readonly blocks: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
};

const gigabyte = 1024 ** 3;
const fewestBytes = gigabyte;
const smallestShare = 0.05;
const smallShare = 0.15;

const full = 'a full disk stops all payments';
const remedy = 'make room or enlarge the disk before it is full';

/** `folder` is where the disk was looked at. A file system without sizes, such as /proc, is good. */
export function judgeDisk(folder: string, facts: DiskFacts): Finding {
  const what = `disk of ${folder}`;
  const { bsize, blocks, bavail, files, ffree } = facts;
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const said = `${(free / gigabyte).toFixed(1)} GB free, ${Math.floor(share * 100)} %`;
  if (files > 0 && ffree / files < smallestShare) {
    return wrongFinding(what, `only ${ffree} of ${files} files can still be made: ${full}`, remedy);
  }
  if (blocks > 0 && (share < smallestShare || free < fewestBytes))
    return wrongFinding(what, `${said}: ${full}`, remedy);
  return share < smallShare
    ? noteFinding(what, `${said}: ${full}`, remedy)
    : goodFinding(what, said);
}

export const noDisk: Finding = noteFinding(
  'disks',
  "the database's disk was not looked at: a full one stops all payments",
  'run this where the database runs, with --disk and the folder of its data',
);
