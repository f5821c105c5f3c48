// The owner of the tables may drop them, and the service needs that role only for its migrations. A
// process cannot change its initial environment: /proc/<pid>/environ shows it for life. So a start
// first migrates, and then the process replaces itself by one without that role's credentials.
// docs/decisions/runtime.md

import { openDatabase } from '../storage/database/database.ts';
import { ConfigInvalid, readConfig } from './config.ts';
import { migrateDatabase } from './migrate-database.ts';

const name = 'DATABASE_OWNER_URL';

/**
 * Returns the URL without user and password, which are before the host or among the parameters.
 * Host and port stay, because deliveries to them are refused.
 */
export const withoutOwner = (address: string): string =>
  address
    .replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1')
    .replace(/([?&])(?:user|password|sslpassword|sslkey)=[^&#]*/gi, '$1')
    .replace(/([?&])&+/g, '$1')
    .replace(/[?&]+(?=#|$)/, '');

/**
 * Migrates as the owner when one is named, and continues without its credentials. Returns when
 * there is nothing to remove: no owner, or the same role that serves. Throws CannotStart.
 */
export async function shedOwner(): Promise<void> {
  const config = ownedConfig();
  if (!config) return;
  const database = openDatabase({ url: config.databaseUrl, poolSize: 1 });
  try {
    await migrateDatabase(config, database);
  } finally {
    await database.close();
  }
  delete process.env[`${name}_FILE`];
  process.env[name] = withoutOwner(config.databaseOwnerUrl);
  // Replacing the process would cut a channel to the parent process, and Windows has no such call.
  // Then only the variable is removed, for child processes and, where possible, for this one.
  if (process.channel || typeof process.execve !== 'function') return;
  process.execve(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]);
}

/** Invalid settings are reported by the start itself. */
function ownedConfig() {
  if (!process.env[name] && !process.env[`${name}_FILE`]) return undefined;
  try {
    const { config } = readConfig(process.env);
    const { databaseOwnerUrl: owner, databaseUrl } = config;
    return owner === databaseUrl || withoutOwner(owner) === owner ? undefined : config;
  } catch (error) {
    if (error instanceof ConfigInvalid) return undefined;
    throw error;
  }
}
