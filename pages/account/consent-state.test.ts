// What a consent page says and sends, without a browser. Contract §6.

import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as Calls from '../kit/calls.ts';
import type * as State from './consent-state.ts';

let kit: typeof Calls & typeof State;

// The router reads the address when it is loaded.
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://localhost/account'));
  kit = { ...(await import('../kit/calls.ts')), ...(await import('./consent-state.ts')) };
});

const own = { clientId: 'own', name: 'Tin & Twine', role: 'owner' } as const;
const other = { clientId: 'other', name: 'Copper Kettle', role: 'member' } as const;
const scopes = ['payments:read', 'customers:read', 'refunds:write'];

describe('the choice', () => {
  let state: State.ConsentState;
  beforeEach(() => {
    state = new kit.ConsentState({ merchants: [own, other] });
  });

  it('allows what is ticked, at the merchant that was chosen, and no more', () => {
    state.chosen.value = other;
    state.toggle('customers:read');
    expect(state.allow({ scopes })).toEqual({
      decision: 'allow',
      clientId: 'other',
      scopes: ['payments:read', 'refunds:write'],
    });
    state.toggle('customers:read');
    expect(state.tickedOf(scopes)).toEqual(scopes);
    state.chosen.value = own;
    expect(state.allow({ scopes })).toEqual({ decision: 'allow', clientId: 'own', scopes });
    expect(state.missing.value).toBe(null);
  });

  it('asks for the merchant first, of several, and sends nothing', () => {
    expect(state.chosen.value).toBe(null);
    for (const scope of scopes) state.toggle(scope);
    expect(state.allow({ scopes })).toBe(null);
    expect(state.missing.value).toBe('merchant');
  });

  it('nothing ticked is nothing allowed', () => {
    state.chosen.value = own;
    for (const scope of scopes) state.toggle(scope);
    expect(state.allow({ scopes })).toBe(null);
    expect(state.missing.value).toBe('scope');
    state.toggle('payments:read');
    expect(state.allow({ scopes })?.scopes).toEqual(['payments:read']);
    expect(state.missing.value).toBe(null);
  });

  it('chooses the only merchant by itself, and none where there is none', () => {
    expect(new kit.ConsentState({ merchants: [other] }).chosen.value).toBe(other);
    expect(new kit.ConsentState({ merchants: [] }).chosen.value).toBe(null);
  });

  it.each([
    ['authorization_not_found', 'over'],
    ['sign_in_required', 'stale'],
    ['second_factor_required', 'stale'],
    ['client_not_found', 'choose-again'],
    ['recent_sign_in_required', 'shown'],
    ['rate_limited', 'shown'],
  ])('after %s: %s', (code, next) => {
    state.chosen.value = own;
    expect(state.fail(new kit.CallFailure(400, { code }))).toBe(next);
    expect(state.chosen.value).toBe(next === 'choose-again' ? null : own);
  });

  it('shows a fault of the page', () => {
    expect(state.fail(new Error('a fault'))).toBe('shown');
  });
});

describe('the bounds', () => {
  const bounds = (given: Partial<Parameters<typeof State.boundsOf>[0]> = {}) =>
    kit
      .boundsOf({
        application: { name: 'Ledger Sync' },
        merchant: own,
        isForAgents: false,
        scopes: ['payments:read'],
        ...given,
      })
      .map(({ strong, text }) => (strong ? `${strong} ${text}` : text));
  const always = [
    'It can never do more than you can, and only at this merchant.',
    'Ledger Sync does not learn your password.',
    'You can revoke the access at any time in your account. It ends at once.',
  ];
  const roles =
    'Whatever is ticked: as you have the role Owner, it may collect and release payments that are on hold.';

  it('name a role’s own rights, whatever is ticked', () => {
    expect(bounds()).toEqual([roles, ...always]);
    expect(bounds({ scopes: [] })).toEqual([roles, ...always]);
    expect(bounds({ merchant: other })).toEqual(always);
    expect(bounds({ merchant: null })).toEqual(always);
  });

  it('name the API tokens that stay behind, while the scope that makes them is ticked', () => {
    expect(bounds({ scopes: ['payments:read', 'mcp'] }).at(-1)).toBe(
      'You can revoke the access at any time in your account. It ends at once, but API tokens that it made stay until you revoke them too.',
    );
    expect(bounds().at(-1)).toBe(always[2]);
  });

  it('name what scopes come to together, while both are ticked', () => {
    const prices = expect.stringMatching(
      /^As both are ticked, it may start checkouts at prices of its own/,
    );
    const saved = expect.stringMatching(
      /^As both are ticked, it may charge the saved cards of your buyers/,
    );
    const both = ['checkout:write', 'payments:write', 'payment_methods:read'];
    expect(bounds({ scopes: both })).toEqual([roles, prices, saved, ...always]);
    expect(bounds({ scopes: both.slice(0, 2) })).toEqual([roles, prices, ...always]);
    expect(bounds({ scopes: both.slice(1) })).toEqual([roles, ...always]);
    expect(bounds({ scopes: both, merchant: other })).toEqual(always);
  });

  it('of a request for agents’ tools name the preview alone', () => {
    const both = ['checkout:write', 'payments:write'];
    expect(bounds({ isForAgents: true, scopes: both })).toEqual([
      'It works through the tools for agents alone, which preview each move of money first.',
      ...always,
    ]);
  });
});
