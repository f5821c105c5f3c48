// The roles and their walls. The service's role can read nothing of the vault, and the vault's
// nothing of the service: Spec: Security, architecture of the vault.
import pg from 'pg';

export const roles = ['postgres', 'svc_owner', 'svc_service', 'svc_vault'] as const;
export type Role = (typeof roles)[number];
export type Passwords = Record<Role, string>;

/** Held while roles and databases are made, so that two starts at once do not collide. */
export const preparationLock = 7_382_004;

/**
 * Makes the roles with their passwords. Repeatable; `client` is a superuser's (or another role's
 * that may create roles) on any database of the server.
 */
export async function ensureRoles(client: pg.Client, passwords: Passwords): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    'select rolname from pg_roles where rolname = any($1)', [roles],
  );
  const known = new Set(rows.map((row) => row.rolname));
  for (const role of roles) {
    if (known.has(role)) continue;
    const word = pg.escapeLiteral(passwords[role]);
    await client.query(`create role ${role} login password ${word}`);
  }
  await client.query('alter role svc_vault set search_path = vault');
}

/** Makes an empty database of that name unless there is one. */
export async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
  const name = pg.escapeIdentifier(database);
  if (rowCount === 0) await client.query(`create database ${name} owner svc_owner`);
  await wallDatabase(client, database);
}

/** Who may connect. A clone does not inherit this from its template, so it is repeated there. */
export async function wallDatabase(client: pg.Client, database: string): Promise<void> {
  const name = pg.escapeIdentifier(database);
  await client.query(`revoke connect, temporary on database ${name} from public;
    grant connect on database ${name} to svc_service, svc_vault`);
}

/** Who may do what inside a database. Repeatable; `client` is connected to that database. */
export async function wallSchemas(client: pg.Client): Promise<void> {
  await client.query(`
    alter schema public owner to svc_owner;
    revoke all on schema public from public;
    grant all on schema public to svc_owner;
    grant usage on schema public to svc_service;
    create schema if not exists vault authorization svc_vault;
    revoke all on schema vault from public;
    alter default privileges for role svc_owner in schema public
      grant select, insert, update, delete on tables to svc_service;
    alter default privileges for role svc_owner in schema public
      grant usage on sequences to svc_service;
  `);
}
