import { describe, expect, it } from 'vitest';
import { atDatabase } from '../../storage/backups/whole-database.ts';
import { libpqEnvironment } from './programs.ts';

const shown = (address: string) =>
  Object.fromEntries(
    Object.entries(libpqEnvironment(address)).filter(([name]) => /^PG(?!APPNAME)/.test(name)),
  );

describe('the address of a database, for pg_dump', () => {
  it.each([
    [
      'postgres://a%40b:p%3Aq@[::1]:5433/my%20db?sslmode=require&uselibpqcompat=true',
      { PGHOST: '::1', PGPORT: '5433', PGUSER: 'a@b', PGPASSWORD: 'p:q', PGSSLMODE: 'require' },
    ],
    [
      'postgres://postgres@/my%20db?host=/run/postgresql',
      { PGHOST: '/run/postgresql', PGPORT: '5432', PGUSER: 'postgres' },
    ],
    [
      'postgresql://one:5432,two:5433/my%20db?target_session_attrs=read-write',
      { PGHOST: 'one,two', PGPORT: '5432,5433', PGTARGETSESSIONATTRS: 'read-write' },
    ],
  ])('%s', (address, wanted) => {
    expect(shown(address)).toEqual({ ...wanted, PGDATABASE: 'my db' });
    expect(shown(atDatabase(address, 'o/x'))).toEqual({ ...wanted, PGDATABASE: 'o/x' });
  });

  it('one without a database', () => {
    expect(atDatabase('postgres://u@h:5432?sslmode=prefer', 'svc')).toBe(
      'postgres://u@h:5432/svc?sslmode=prefer',
    );
  });
});
