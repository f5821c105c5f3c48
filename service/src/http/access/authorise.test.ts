import type { Auth, RowShape } from '@svc/contract/rows/row';
import { describe, expect, it } from 'vitest';
import { recentProofMs } from '../../domain/people/sign-in.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Caller } from '../../engine/ports.ts';
import { acceptsCredential, authorise, type CredentialKind, kindOf } from './authorise.ts';

// The expected values are written out by hand, because the table itself is tested.
const open: Readonly<Record<Auth, string>> = {
  server: 'basic bearer browser',
  bearer: 'bearer agent browser',
  session: 'nonce',
  'server-or-session': 'basic bearer browser nonce',
  anyone: 'basic bearer none',
  'customer-page': 'page',
  person: 'person',
  visitor: 'person none',
};
const kinds: readonly CredentialKind[] = [
  'basic',
  'bearer',
  'agent',
  'browser',
  'person',
  'nonce',
  'page',
  'none',
];
const auths = Object.keys(open) as Auth[];

const id = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';
const traces = { requestId: 'req_test', origin: null };
const member = { clientId: id, userId: id, tokenId: id, role: 'owner', scopes: null } as const;
const callers: Readonly<Record<CredentialKind, Caller>> = {
  basic: { kind: 'server', via: 'token', ...member, ...traces },
  bearer: {
    kind: 'server',
    via: 'oauth',
    applicationId: 'a',
    ...member,
    scopes: ['mcp'],
    ...traces,
  },
  agent: {
    kind: 'server',
    via: 'oauth',
    applicationId: 'a',
    isForAgents: true,
    ...member,
    scopes: ['mcp'],
    ...traces,
  },
  browser: { kind: 'server', via: 'person', ...member, ...traces },
  person: { kind: 'person', userId: id, signInId: id, ...traces },
  nonce: { kind: 'session', nonceSha256: Buffer.alloc(32), ...traces },
  page: { kind: 'customer', clientId: id, userId: id, pageId: id, maker: null, ...traces },
  none: { kind: 'anonymous', ...traces },
};

const rowOf = (given: Partial<RowShape>): RowShape => ({
  spec: 'Test',
  summary: 'Test.',
  call: 'GET /v1/test',
  auth: 'server',
  scope: null,
  permission: null,
  limit: 'client',
  input: {},
  answers: { 204: null },
  refuses: [],
  emits: [],
  ...given,
});

/** The code of the refusal, or `open`. */
function judgeCall(
  row: Partial<RowShape>,
  caller: unknown,
  sinceProofMs: number | null = 0,
): string {
  try {
    authorise(rowOf(row), { caller: caller as Caller, sinceProofMs });
    return 'open';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

describe('which credential opens which row', () => {
  it.each(auths.flatMap((auth) => kinds.map((kind) => [auth, kind] as const)))(
    '%s by %s',
    (auth, kind) => {
      const isOpen = open[auth].split(' ').includes(kind);
      expect(acceptsCredential(auth, kind)).toBe(isOpen);
      expect(judgeCall({ auth }, callers[kind])).toBe(isOpen ? 'open' : 'authentication_required');
    },
  );

  it('knows each caller by its kind, and no other', () => {
    for (const kind of kinds) expect(kindOf(callers[kind])).toBe(kind);
    for (const strange of [
      { ...callers.basic, via: 'password' },
      { ...callers.basic, via: 'constructor' },
      { ...callers.basic, isForAgents: true },
      { ...callers.browser, isForAgents: true },
      { ...callers.none, kind: 'root' },
      { ...callers.none, kind: '__proto__' },
    ]) {
      expect(kindOf(strange as never)).toBeUndefined();
      for (const auth of auths)
        expect(judgeCall({ auth }, strange)).toBe('authentication_required');
    }
  });

  it('a row whose auth is unknown is closed to everybody', () => {
    for (const auth of ['admin', '', 'constructor', '__proto__', 'toString']) {
      for (const kind of kinds) {
        expect(judgeCall({ auth: auth as Auth }, callers[kind])).toBe('authentication_required');
      }
    }
  });
});

describe('scopes', () => {
  const row = { scope: 'refunds:write' } as const;

  it('403 insufficient_scope: only the row’s own scope opens it', () => {
    const near = ['mcp', 'refunds:read', 'refunds', 'refunds:write ', 'REFUNDS:WRITE', '*', ''];
    for (const kind of ['basic', 'bearer'] as const) {
      const judgeScopes = (scopes: unknown) => judgeCall(row, { ...callers[kind], scopes });
      for (const scope of near) expect(judgeScopes([scope])).toBe('insufficient_scope');
      expect(judgeScopes([])).toBe('insufficient_scope');
      expect(judgeScopes(['mcp', 'refunds:write'])).toBe('open');
    }
  });

  it('Contract §6 scopes: an API token without scopes may all that its owner may; an OAuth token without, nothing', () => {
    expect(judgeCall(row, callers.basic)).toBe('open');
    expect(judgeCall(row, callers.browser)).toBe('open');
    expect(judgeCall(row, { ...callers.bearer, scopes: null })).toBe('insufficient_scope');
    expect(judgeCall({}, { ...callers.bearer, scopes: null })).toBe('insufficient_scope');
  });

  it('Contract §6 people by token: people and applications take a token that names members:write', () => {
    const people = { scope: 'members:write' } as const;
    expect(judgeCall(people, callers.basic)).toBe('insufficient_scope');
    expect(judgeCall(people, { ...callers.basic, scopes: ['members:write'] })).toBe('open');
    expect(judgeCall(people, callers.browser)).toBe('open');
  });

  it('Contract §6 token scope: an API token with scopes needs what the row asks of tokens; a Bearer token the role alone', () => {
    const held = { scope: null, tokenScope: 'payments:write' } as const;
    const at = (kind: CredentialKind, scopes: unknown) =>
      judgeCall(held, { ...callers[kind], scopes });
    for (const scopes of [[], ['payments:read'], ['refunds:write', 'mcp']]) {
      expect(at('basic', scopes)).toBe('insufficient_scope');
      expect(at('bearer', scopes)).toBe('open');
    }
    expect(at('basic', ['payments:write'])).toBe('open');
    expect(at('basic', null)).toBe('open');
    expect(at('browser', null)).toBe('open');
  });

  it('a Bearer is told which scope to ask for', () => {
    let refusal: unknown;
    try {
      authorise(rowOf(row), { caller: callers.bearer, sinceProofMs: null });
    } catch (error) {
      refusal = error;
    }
    expect((refusal as Refusal).facts).toEqual({
      message: 'The token lacks the scope refunds:write, which this call asks for.',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="refunds:write"' },
    });
  });
});

describe('roles', () => {
  const row: Partial<RowShape> = { permission: 'holds.end' };

  it.each(['basic', 'bearer', 'browser'] as const)(
    '403 merchant_role_required by %s: owners and admins only, no other word',
    (kind) => {
      const roles = ['owner', 'admin', 'member', 'Owner', 'root', '', null, undefined];
      expect(roles.map((role) => judgeCall(row, { ...callers[kind], role }))).toEqual([
        'open',
        'open',
        ...Array(6).fill('merchant_role_required'),
      ]);
      expect(judgeCall({}, { ...callers[kind], role: 'member' })).toBe('open');
    },
  );

  it('403 merchant_role_required: names the roles that the call takes', () => {
    const caller = { ...callers.browser, role: 'support' } as Caller;
    const authoriseRow = () => authorise(rowOf(row), { caller, sinceProofMs: 0 });
    expect(authoriseRow).toThrow(/It needs the role owner or admin\.$/);
  });

  it('a role without tokens acts in its own browser alone, whatever the row asks', () => {
    for (const role of ['finance', 'support', 'viewer']) {
      for (const permission of ['records.read', null] as const) {
        expect(judgeCall({ permission }, { ...callers.browser, role })).toBe('open');
        expect(judgeCall({ permission }, { ...callers.basic, role })).toBe(
          'merchant_role_required',
        );
        expect(judgeCall({ permission }, { ...callers.bearer, role })).toBe(
          'merchant_role_required',
        );
      }
    }
  });

  it('a permission that stands in no table opens to nobody', () => {
    for (const permission of ['', 'constructor', '__proto__', 'everything']) {
      const strange = { permission: permission as 'holds.end' };
      expect(judgeCall(strange, { ...callers.browser, role: 'owner' })).toBe(
        'merchant_role_required',
      );
    }
  });

  it('the scope is asked before the role', () => {
    const caller = { ...callers.basic, role: 'member', scopes: [] };
    expect(judgeCall({ ...row, scope: 'mcp' }, caller)).toBe('insufficient_scope');
  });
});

describe('a recent proof', () => {
  const ages = [0, recentProofMs, recentProofMs + 1, -1, Number.NaN, null];

  it('403 recent_sign_in_required: a browser within 15 minutes, and never one of unknown age', () => {
    expect(recentProofMs).toBe(900_000);
    for (const [auth, kind] of [
      ['server', 'browser'],
      ['person', 'person'],
      ['visitor', 'person'],
    ] as const) {
      const judgeAge = (ms: number | null) =>
        judgeCall({ auth, asksRecentSignIn: true }, callers[kind], ms);
      expect(ages.map(judgeAge)).toEqual([
        'open',
        'open',
        ...Array(4).fill('recent_sign_in_required'),
      ]);
    }
  });

  it('is asked of nobody where the row does not ask, and never of a program', () => {
    for (const ms of ages) {
      expect(judgeCall({}, callers.browser, ms)).toBe('open');
      expect(judgeCall({ asksRecentSignIn: true }, callers.basic, ms)).toBe('open');
      expect(judgeCall({ asksRecentSignIn: true }, callers.bearer, ms)).toBe('open');
    }
  });
});
