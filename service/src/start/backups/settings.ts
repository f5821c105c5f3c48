// Whose database a backup is of, and who makes it.

import { readAddress, readKeys, readOwnerUrl } from '../config.ts';
import type { BackupSettings } from './backups.ts';
import { libpqEnvironment } from './programs.ts';

/**
 * Reads the administrator of DATABASE_ADMIN_URL, else the owner of the tables. The database is that of the owner's
 * address, or `svc`. Returns undefined when none is given. Throws ConfigInvalid.
 */
export function readBackupSettings(
  env: Readonly<Record<string, string | undefined>>,
): BackupSettings | undefined {
  const names = ['DATABASE_URL', 'DATABASE_OWNER_URL'];
  const isNamed = names.some((name) => env[name] || env[`${name}_FILE`]);
  const owner = isNamed ? readOwnerUrl(env) : undefined;
  const adminUrl = readAddress('DATABASE_ADMIN_URL', env) ?? owner;
  if (adminUrl === undefined) return undefined;
  const { PGDATABASE: database = 'svc' } = owner === undefined ? {} : libpqEnvironment(owner);
  return { adminUrl, database, keys: readKeys(env) };
}
