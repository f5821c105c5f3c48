// The database roles and their permissions. The service's role can read nothing of the vault, and the
// vault's nothing of the service: Spec: Security, architecture of the vault.
import pg from 'pg';

export const roles = ['postgres', 'svc_owner', 'svc_service', 'svc_vault'] as const;
export type Role = (typeof roles)[number];
export type Passwords = Record<Role, string>;

/** Makes the roles with these passwords, or changes the passwords of existing roles. */
export async function ensureRoles(
  admin: pg.Client,
  passwords: Readonly<Partial<Passwords>>,
): Promise<void> {
  for (const role of roles) {
    const word = passwords[role];
    if (word === undefined) continue;
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [role]);
    const verb = rowCount === 0 ? 'create' : 'alter';
    await admin.query(`${verb} role ${role} login password ${pg.escapeLiteral(word)}`);
  }
  await admin.query('alter role svc_vault set search_path = vault');
  const { rows } = await admin.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  );
  if (rows[0]?.rolsuper) return;
  // A user who may only create roles needs to be a member to act for their objects.
  await admin.query('grant svc_owner, svc_vault to current_user');
}

/** Makes an empty database with that name unless it exists. */
export async function ensureDatabase(admin: pg.Client, database: string): Promise<void> {
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [database]);
  const name = pg.escapeIdentifier(database);
  if (rowCount === 0) await admin.query(`create database ${name} owner svc_owner`);
  await wallDatabase(admin, database);
}

/** Sets who may connect. A clone does not inherit this from its template, so it is repeated there. */
export async function wallDatabase(admin: pg.Client, database: string): Promise<void> {
  const name = pg.escapeIdentifier(database);
  await admin.query(`revoke connect, temporary on database ${name} from public;
    grant connect on database ${name} to svc_owner, svc_service, svc_vault`);
}

/** Sets permissions inside a database. Repeatable; `inside` is connected to that database. */
export async function wallSchemas(inside: pg.Client): Promise<void> {
  await inside.query(`
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
