// The scopes that the form of a token offers, against what the calls ask for.

import { rows } from '@svc/contract';
import { may } from '@svc/contract/rows/roles';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes } from '@svc/contract/rows/scopes';
import { describe, expect, it } from 'vitest';
import { scopesOfLeaders, scopesWithoutUse, unusedScopes } from './tokens-scopes.ts';

const all = Object.entries(rows as Readonly<Record<string, RowShape>>);
const rowsOpenTo = (scope: string) =>
  all.filter(
    ([, row]) =>
      (row.tokenScope ?? row.scope) === scope &&
      !['bearer', 'person', 'visitor'].includes(row.auth),
  );
const needsLeader = ([, row]: (typeof all)[number]) =>
  row.permission !== null && !may('member', row.permission);

describe('scopes of a token', () => {
  it('those that no call of Client Basic asks for are not offered', () => {
    expect(scopes.filter((scope) => rowsOpenTo(scope).length === 0)).toEqual([...unusedScopes]);
  });

  it('a member is offered none whose every call asks for an owner or admin', () => {
    const leaders = scopes.filter((scope) => {
      const calls = rowsOpenTo(scope);
      return calls.length > 0 && calls.every(needsLeader);
    });
    expect(leaders).toEqual(
      [...scopesOfLeaders].sort((a, b) => scopes.indexOf(a) - scopes.indexOf(b)),
    );
    expect(scopesWithoutUse('member')).toEqual([...unusedScopes, ...scopesOfLeaders]);
    expect(scopesWithoutUse('admin')).toEqual(unusedScopes);
  });

  it('payments:write opens captures, cancellations, the end of a subscription and its taking back', () => {
    const names = rowsOpenTo('payments:write').map(([name]) => name);
    expect(names.sort()).toEqual([
      'cancelPayment',
      'cancelSubscription',
      'capturePayment',
      'resumeSubscription',
    ]);
  });
});
