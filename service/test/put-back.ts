// A database that is put back to an earlier moment: every table as one snapshot saw it, while others were
// writing. What pg_dump and a restore come to, in the database that the world has.

import { plantIn } from './planted.ts';
import type { World } from './world.ts';

const each = (statement: string): string => `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' order by 1 loop
    ${statement}
  end loop; end $$`;

/** Keeps what is committed now; nobody waits for it. */
export const keepMoment = (world: Pick<World, 'ownerUrl'>): Promise<void> =>
  plantIn(world.ownerUrl, async (run) => {
    await run('create schema kept');
    await run('begin isolation level repeatable read');
    await run(each(`execute format('create table kept.%I as table public.%I', name, name);`));
    await run('commit');
  });

/** The kept moment is the present again. The providers know nothing of it. */
export const putBack = (world: Pick<World, 'ownerUrl'>): Promise<void> =>
  plantIn(world.ownerUrl, async (run) => {
    await run('begin');
    await run(
      each(`execute format('delete from public.%I', name);
        execute format('insert into public.%I overriding system value table kept.%I', name, name);`),
    );
    await run('drop schema kept cascade');
    await run('commit');
  });
