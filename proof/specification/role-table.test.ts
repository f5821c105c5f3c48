// The contract's rows ask for what the table written by hand says, and for what the document shows.
// Contract §10; additions §6, Roles.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import { may, permissions } from '@svc/contract/rows/roles';
import type { RowShape } from '@svc/contract/rows/row';
import { describe, expect, it } from 'vitest';
import { callsOf, everyRole, holds, limitedBy, withRecentSignIn } from './role-table.ts';

const additions = readFileSync(join(import.meta.dirname, '../../docs/spec/additions.md'), 'utf8');

/** The roles of each permission, as the document's table has them. */
function documented(): Map<string, string[]> {
  const [, section = ''] = additions.split('\n### Roles\n');
  const [text = ''] = section.split('\n### ');
  const found = new Map<string, string[]>();
  for (const [, names = '', roles = ''] of text.matchAll(/^\| (`[^|]+) \| ([^|]+?) *\|$/gm)) {
    const all =
      roles === 'every role' ? [...everyRole] : roles.replace(' where set', '').split(', ');
    for (const [, name = ''] of names.matchAll(/`([a-z.]+)`/g)) found.set(name, all);
  }
  return found;
}

describe('permissions of the roles', () => {
  it.each(permissions)('%s', (permission) => {
    const held = everyRole.filter((role) => may(role, permission));
    expect(held).toEqual(everyRole.filter((role) => holds(role, permission)));
    expect(documented().get(permission)).toEqual(held);
  });
});

const all: Readonly<Record<string, RowShape>> = rows;
const namesOf = (holds: (row: RowShape) => boolean): string[] =>
  Object.entries(all).flatMap(([name, row]) => (holds(row) ? [name] : []));

describe('permissions of the calls', () => {
  it.each(Object.entries(callsOf))('%s', (permission, names) => {
    for (const name of names.split(' ')) {
      expect([name, all[name]?.permission]).toEqual([name, permission]);
    }
  });

  it('records.read: reading alone, and what a person keeps alone', () => {
    const writing = Object.entries(all)
      .filter(([, row]) => row.permission === 'records.read' && !row.call.startsWith('GET '))
      .map(([name]) => name);
    // Views for everyone take a permission of their own, views.share; a file holds what its maker reads.
    const ofOneself = ['createExport', 'createView', 'deleteExport', 'deleteView', 'updateView'];
    expect(writing.sort()).toEqual(ofOneself);
  });
});

describe('what else the calls ask for', () => {
  it('a recent sign-in, where they move money, change who has access, close a month or make files', () => {
    const asking = namesOf(({ asksRecentSignIn }) => asksRecentSignIn === true);
    expect(asking.sort()).toEqual(withRecentSignIn.split(' ').sort());
  });

  it.each(Object.entries(limitedBy))('Contract §10: the limit %s', (limit, names) => {
    expect(namesOf((row) => row.limit === limit).sort()).toEqual(names.split(' ').sort());
  });
});
