// The owner of the tables may drop them, and the service needs that role for its migrations alone. A
// process cannot change what it was started with: /proc/<pid>/environ shows it for life. So the first thing
// a start does is to migrate, and then the process replaces itself by one that was never told.
// docs/decisions/0130-owner-only-to-migrate.md

import { ConfigInvalid, readConfig } from './config.ts';
import { migrateDatabase } from './migrate-database.ts';
import { openDatabase } from './storage/database/database.ts';

const name = 'DATABASE_OWNER_URL';

/**
 * The address without user and password, which stand before the host or among the parameters. Host and
 * port stay, because deliveries to them are refused.
 */
export const withoutOwner = (address: string): string =>
  address
    .replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1')
    .replace(/([?&])(?:user|password|sslpassword|sslkey)=[^&#]*/gi, '$1')
    .replace(/([?&])&+/g, '$1')
    .replace(/[?&]+(?=#|$)/, '');

/**
 * Migrates as the owner where one is named, and goes on without its credentials. Returns where there is
 * nothing to let go of: no owner, or the very role that serves. Throws CannotStart.
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
  // A channel to who started us ends with the process image, and Windows has no such call. Then the
  // variable is gone for children, and from this process where that is possible.
  if (process.channel || typeof process.execve !== 'function') return;
  process.execve(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]);
}

/** What is wrong with the settings is told by the start itself. */
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
