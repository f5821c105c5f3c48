// Logs of a start with a bound: a file of at most 10 MB and four older ones beside it, readable by their
// owner alone.

import {
  closeSync,
  copyFileSync,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';

/** Bytes of one file, and files of one log with the one that is written to. */
export const logBound = { bytes: 10_000_000, files: 5 } as const;

type Bound = { readonly bytes: number; readonly files: number };

/** `x.log` becomes `x.log.1`, that one `x.log.2`; the oldest goes. */
function makeRoom(file: string, files: number): void {
  rmSync(`${file}.${files - 1}`, { force: true });
  for (let n = files - 2; n >= 1; n--) {
    if (statSync(`${file}.${n}`, { throwIfNoEntry: false })) {
      renameSync(`${file}.${n}`, `${file}.${n + 1}`);
    }
  }
}

function openLog(file: string): { fd: number; size: number } {
  const fd = openSync(file, 'a', 0o600);
  // One of an earlier version was readable by everybody.
  fchmodSync(fd, 0o600);
  return { fd, size: fstatSync(fd).size };
}

export type BoundedLog = { write(chunk: Buffer): void; close(): void };

/** A log that this process writes for another one: never above its bound, whatever comes. */
export function boundedLog(file: string, { bytes, files }: Bound = logBound): BoundedLog {
  let { fd, size } = openLog(file);
  const turn = (): void => {
    closeSync(fd);
    makeRoom(file, files);
    renameSync(file, `${file}.1`);
    ({ fd, size } = openLog(file));
  };
  return {
    write(chunk) {
      // A disk without room for a log ends nobody.
      try {
        for (let from = 0; from < chunk.length; ) {
          if (size >= bytes) turn();
          const part = chunk.subarray(from, from + bytes - size);
          const written = writeSync(fd, part);
          from += written;
          size += written;
        }
      } catch {}
    },
    close: () => closeSync(fd),
  };
}

/**
 * A log that another process appends to by itself and keeps open: looked at every few seconds, and
 * emptied once what stands in it was copied beside it. Answers what ends the looking.
 */
export function keepBounded(file: string, { bytes, files }: Bound = logBound): () => void {
  const look = (): void => {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < bytes) return;
      makeRoom(file, files);
      copyFileSync(file, `${file}.1`);
      truncateSync(file);
    } catch {}
  };
  look();
  const timer = setInterval(look, 5000).unref();
  return () => clearInterval(timer);
}
