import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaPicture } from './schema-picture.ts';
import { cloneDatabase, createTemplate, type TestDatabase } from './test-database/index.ts';

const template = 'svc_template_empty';
const schema = `
  create type mood as enum ('sad', 'ok');
  create domain code as text check (value ~ '^[a-z]+$');
  create sequence ticket;
  create function svc_clock() returns timestamptz language sql stable as 'select clock_timestamp()';
  create function guarded() returns int language sql as 'select 1';
  revoke all on function guarded() from public;
  create function touch() returns trigger language plpgsql as $$ begin return new; end $$;
  create table client (
    id uuid primary key,
    name text not null default 'none' check (name <> ''),
    mood mood, code code, lower_name text generated always as (lower(name)) stored
  );
  create table payment (
    client_id uuid not null references client (id) on delete cascade,
    n int generated always as identity, "Odd" timestamptz default svc_clock(), secret text,
    primary key (client_id, n), constraint positive check (n > 0)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
  create index payment_by_time on payment ("Odd" desc) where n > 5;
  create trigger touched before update on payment for each row execute function touch();
  alter table payment enable row level security;
  alter table payment force row level security;
  create policy own on payment for select to svc_service using (client_id is not null);
  create table log (at date not null, text text) partition by range (at);
  create table log_2026 partition of log for values from ('2026-01-01') to ('2027-01-01');
  create index log_by_at on log (at);
  create view paid as select n from payment;
  revoke update, delete on payment from svc_service;
  grant update (secret) on payment to svc_service;
  comment on column payment.secret is 'it''s sealed';`;

let database: TestDatabase;
let copy: TestDatabase;

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  await createTemplate(template, async () => {});
  [database, copy] = await Promise.all([cloneDatabase(template), cloneDatabase(template)]);
  await run(database.url('svc_owner'), schema);
});
afterAll(() => Promise.all([database.drop(), copy.drop()]));

describe('schemaPicture', () => {
  it('shows everything that a migration can make', async () => {
    const picture = await schemaPicture(database.url('svc_owner'), ['public']);
    for (const line of [
      `create type public.mood as enum ('sad', 'ok');`,
      "  name text default 'none'::text not null,",
      '  lower_name text generated always as (lower(name)) stored,',
      '  constraint positive CHECK ((n > 0))',
      ') with (autovacuum_vacuum_scale_factor=0.01, fillfactor=70);',
      'alter table public.payment force row level security;',
      'create policy own on public.payment for select to svc_service',
      'grant insert, select on table public.payment to svc_service;',
      'grant update (secret) on table public.payment to svc_service;',
      'revoke all on function public.guarded() from public;',
      'CREATE TRIGGER touched BEFORE UPDATE ON public.payment',
      'CREATE INDEX payment_by_time ON public.payment',
      'ON DELETE CASCADE;',
    ]) {
      expect(picture).toContain(line);
    }
  });

  it('loaded into an empty database, it is the picture of that database', async () => {
    const picture = await schemaPicture(database.url('svc_owner'), ['public']);
    // The rights come from the picture, and not from the defaults of the empty database.
    await run(
      copy.url('svc_owner'),
      `alter default privileges in schema public revoke all on tables from svc_service;
       alter default privileges in schema public revoke all on sequences from svc_service;
       ${picture}`,
    );
    expect(await schemaPicture(copy.url('svc_owner'), ['public'])).toBe(picture);
  });

  it.each([
    ['alter table payment alter secret set not null'],
    ['alter table payment alter secret set default 1'],
    ['alter table payment drop constraint positive'],
    ['drop index payment_by_time'],
    ['alter table payment no force row level security'],
    ['alter table payment set (fillfactor = 80)'],
    ['grant delete on payment to svc_service'],
    ['drop policy own on payment'],
    ['drop trigger touched on payment'],
    [
      'create or replace function touch() returns trigger language plpgsql as $$ begin return null; end $$',
    ],
    ["alter type mood add value 'glad'"],
    ['alter table payment rename secret to sealed'],
  ])('sees: %s', async (change) => {
    const own = await cloneDatabase(template);
    try {
      await run(own.url('svc_owner'), schema);
      const before = await schemaPicture(own.url('svc_owner'), ['public']);
      await run(own.url('svc_owner'), change);
      expect(await schemaPicture(own.url('svc_owner'), ['public'])).not.toBe(before);
    } finally {
      await own.drop();
    }
  });

  it('shows only the schemas asked for', async () => {
    expect(await schemaPicture(database.url('postgres'), ['vault'])).not.toContain('payment');
  });
});
