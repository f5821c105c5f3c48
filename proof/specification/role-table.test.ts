// The contract's table of permissions is the one written by hand, and the one that the document shows.
// Additions §6, Roles.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import { may, permissions } from '@svc/contract/roles';
import type { RowShape } from '@svc/contract/row';
import { describe, expect, it } from 'vitest';
import { callsOf, everyRole, holds } from './role-table.ts';

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

describe('permissions of the calls', () => {
  const all: Readonly<Record<string, RowShape>> = rows;

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
