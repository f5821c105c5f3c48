// What the sandbox's two programs share: the folder of a file, and why a start failed, in one line.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const unwritable = new Set(['EACCES', 'ENOENT', 'ENOTDIR', 'EPERM', 'EROFS', 'ERR_SQLITE_ERROR']);

/** Makes only the last folder: a recursive mkdir below /proc never returns. */
export const makeFolderOf = (file: string | undefined): void => {
  if (file === undefined || file === ':memory:') return;
  const folder = dirname(file);
  if (!existsSync(folder)) mkdirSync(folder);
};

type Given = { readonly port?: number; readonly host?: string; readonly file?: string };

/** `names` are the settings or flags that a person would change. */
export const explainFailure = (
  error: unknown,
  given: Given | undefined,
  names: { readonly port: string; readonly file: string },
): string => {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    return `port ${given?.port ?? 0} on ${given?.host ?? '127.0.0.1'} is in use (${names.port})`;
  }
  if (unwritable.has(code)) {
    return `${given?.file ?? ':memory:'} cannot be written (${names.file}): ${error.message}`;
  }
  return error.message;
};
