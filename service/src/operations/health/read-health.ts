import { describeDatabase } from '../../storage/health.ts';
import { isMigrated } from '../../storage/migrate.ts';
import { isUnavailable } from '../is-unavailable.ts';
import type { Ports } from '../ports.ts';

export type Health = {
  readonly database: { readonly version: string; readonly name: string } | null;
  readonly isMigrated: boolean;
};

/** What a request needs: a database that answers and has this version's tables. */
export async function readHealth(ports: Pick<Ports, 'database'>): Promise<Health> {
  try {
    const [database, migrated] = await Promise.all([
      describeDatabase(ports.database),
      isMigrated(ports.database),
    ]);
    return { database, isMigrated: migrated };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return { database: null, isMigrated: false };
  }
}
