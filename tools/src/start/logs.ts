// Logs of limited size: a file of at most 10 MB and four older ones beside it, which only their owner can
// read.

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

/** The most bytes of one file, and the number of files of one log, including the current one. */
export const logBound = { bytes: 10_000_000, files: 5 } as const;

type LogBound = { readonly bytes: number; readonly files: number };

/** Renames `x.log` to `x.log.1`, that one to `x.log.2` and so on, and removes the oldest. */
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
  // Somebody may have made the file readable by everybody.
  fchmodSync(fd, 0o600);
  return { fd, size: fstatSync(fd).size };
}

export type BoundedLog = { write(chunk: Buffer): void; close(): void };

/** A log that this process writes for another one. It never exceeds its limit. */
export function boundedLog(file: string, { bytes, files }: LogBound = logBound): BoundedLog {
  let { fd, size } = openLog(file);
  const turn = (): void => {
    closeSync(fd);
    makeRoom(file, files);
    renameSync(file, `${file}.1`);
    ({ fd, size } = openLog(file));
  };
  return {
    write(chunk) {
      // A disk without room for the log must not end the process.
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
 * A log that another process appends to and keeps open: its size is checked every few seconds, and a full
 * file is copied and then emptied. Returns a function that ends the checks.
 */
export function keepBounded(file: string, { bytes, files }: LogBound = logBound): () => void {
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
