// The scopes that the form of a token offers, against what the calls ask for.

import { rows } from '@svc/contract';
import { may } from '@svc/contract/roles';
import type { RowShape } from '@svc/contract/row';
import { scopes } from '@svc/contract/scopes';
import { describe, expect, it } from 'vitest';
import { idle, ofLeaders, withoutUse } from './tokens-scopes.ts';

const all = Object.entries(rows as Readonly<Record<string, RowShape>>);
const openTo = (scope: string) =>
  all.filter(
    ([, row]) =>
      (row.tokenScope ?? row.scope) === scope &&
      !['bearer', 'person', 'visitor'].includes(row.auth),
  );
const asksLeader = ([, row]: (typeof all)[number]) =>
  row.permission !== null && !may('member', row.permission);

describe('scopes of a token', () => {
  it('those that no call of Client Basic asks for are not offered', () => {
    expect(scopes.filter((scope) => openTo(scope).length === 0)).toEqual([...idle]);
  });

  it('a member is offered none whose every call asks for an owner or admin', () => {
    const leaders = scopes.filter((scope) => {
      const calls = openTo(scope);
      return calls.length > 0 && calls.every(asksLeader);
    });
    expect(leaders).toEqual([...ofLeaders].sort((a, b) => scopes.indexOf(a) - scopes.indexOf(b)));
    expect(withoutUse('member')).toEqual([...idle, ...ofLeaders]);
    expect(withoutUse('admin')).toEqual(idle);
  });

  it('payments:write opens captures, cancellations and the end of a subscription', () => {
    const names = openTo('payments:write').map(([name]) => name);
    expect(names.sort()).toEqual(['cancelPayment', 'cancelSubscription', 'capturePayment']);
  });
});
