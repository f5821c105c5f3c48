import { describe, expect, it } from 'vitest';
import { readDatabaseHosts } from './database-hosts.ts';

const addressesOf = (text: string) => readDatabaseHosts(text)?.addresses;

describe('readDatabaseHosts', () => {
  it('leaves an address of one server as it is', () => {
    for (const one of [
      'postgres://svc_service:a%40b@db.example:5433/svc?sslmode=verify-full',
      'postgres://svc_service:hunter2@/svc?host=/tmp/x',
      'postgresql://localhost/svc',
    ]) {
      expect(readDatabaseHosts(one)).toEqual({ addresses: [one], mustWrite: false });
    }
  });

  it('reads a list as libpq does: a port for each host, or one for all, before the path or among the parameters', () => {
    expect(addressesOf('postgres://u:p@one,two:5433,[::1]:5434/svc?sslmode=require')).toEqual([
      'postgres://u:p@one/svc?sslmode=require',
      'postgres://u:p@two:5433/svc?sslmode=require',
      'postgres://u:p@[::1]:5434/svc?sslmode=require',
    ]);
    expect(addressesOf('postgres://u:p@/svc?host=one,/run/two&port=5433,5434')).toEqual([
      'postgres://u:p@one:5433/svc',
      'postgres://u:p@%2Frun%2Ftwo:5434/svc',
    ]);
    expect(addressesOf('postgres://one,two/svc?port=5433')).toEqual([
      'postgres://one:5433/svc',
      'postgres://two:5433/svc',
    ]);
  });

  it.each([
    ['any', false],
    ['read-write', true],
    ['primary', true],
  ])('reads target_session_attrs=%s', (attrs, mustWrite) => {
    const list = `postgres://one,two/svc?target_session_attrs=${attrs}`;
    expect(readDatabaseHosts(list)).toEqual({
      addresses: ['postgres://one/svc', 'postgres://two/svc'],
      mustWrite,
    });
  });

  it.each([
    ['no address of PostgreSQL', 'mysql://one/svc'],
    ['a blank', 'postgres://one, two/svc'],
    ['as many ports as no host has', 'postgres://one,two,three/svc?port=1,2'],
    ['a port that is no number', 'postgres://one:x,two/svc'],
    ['servers that take no writes', 'postgres://one,two/svc?target_session_attrs=standby'],
  ])('refuses %s', (_, text) => {
    expect(readDatabaseHosts(text)).toBeUndefined();
  });
});
