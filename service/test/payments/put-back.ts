// A database that is reset to an earlier moment: every table as one snapshot saw it while others
// were writing. The result is that of pg_dump and a restore, in the world's own database.

import type { World } from '../world.ts';
import { plantInDatabase } from './planted.ts';

const truncateStatement = (
  statement: string,
): string => `do $$ declare name text; columns text; begin
  for name in select tablename from pg_tables where schemaname = 'public' order by 1 loop
    select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
      where attrelid = format('public.%I', name)::regclass and attnum > 0
        and not attisdropped and attgenerated = '';
    ${statement}
  end loop; end $$`;

/** Stores what is committed now; no transaction waits for it. */
export const storeMoment = (world: Pick<World, 'ownerUrl'>): Promise<void> =>
  plantInDatabase(world.ownerUrl, async (run) => {
    await run('create schema kept');
    await run('begin isolation level repeatable read');
    await run(
      truncateStatement(`execute format('create table kept.%I as table public.%I', name, name);`),
    );
    await run('commit');
  });

/** Resets the database to the stored moment, without the knowledge of the providers. */
export const restoreMoment = (world: Pick<World, 'ownerUrl'>): Promise<void> =>
  plantInDatabase(world.ownerUrl, async (run) => {
    await run('begin');
    await run(
      truncateStatement(`execute format('delete from public.%I', name);
        execute format('insert into public.%I (%s) overriding system value select %s from kept.%I',
          name, columns, columns, name);`),
    );
    await run('drop schema kept cascade');
    await run('commit');
  });
