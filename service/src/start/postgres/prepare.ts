// Makes the roles and one database with its permissions on any PostgreSQL, embedded or not.
import pg from 'pg';
import { ensureDatabase, ensureRoles, type Passwords, wallSchemas } from './roles.ts';

/** A lock held while roles and databases are made, so that two starts at once do not collide. */
const lock = 7_382_004;

export type Preparation = {
  /** A connection that may create roles and databases. */
  admin: pg.Client;
  /** The address, for the same user, of the database to be made. */
  inside: string;
  /** Passwords of the roles to make. A role that is not named stays as it is. */
  passwords: Readonly<Partial<Passwords>>;
  database: string;
};

/** Repeatable, also by several processes at once. */
export async function prepareDatabase(preparation: Preparation): Promise<void> {
  const { admin, passwords, database } = preparation;
  await admin.query('select pg_advisory_lock($1)', [lock]);
  try {
    await ensureRoles(admin, passwords);
    await ensureDatabase(admin, database);
    const inside = new pg.Client({ connectionString: preparation.inside });
    inside.on('error', () => {});
    try {
      await inside.connect();
      await wallSchemas(inside);
    } finally {
      await inside.end();
    }
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [lock]);
  }
}
