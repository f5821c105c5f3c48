// Every room refuses: planted imports, each as a value, as a type and as `import()`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGraph } from '../import-graph.ts';
import { checkRooms, findForbidden } from './check-rooms.ts';
import { type Room, rooms as table } from './rooms.ts';

const statements = [
  (name: string) => `export * from '${name}';\n`,
  (name: string) => `import type { A } from '${name}';\n`,
  (name: string) => `const late = () => import('${name}');\n`,
  (name: string) => `type Late = import('${name}').Late;\n`,
];

/** Folders of storage that stand on the database only. */
const onDatabase = `alerts audit-log backups catalog clients doctor fraud-signals gateways invitations mails
  notifications oauth payment-index payment-methods people refund-requests retention webhooks`;
const onlyDatabase = {
  may: ['./one.ts', '../database/sql.ts', '../../domain/money/money.ts', '@svc/contract/x'],
  mayNot: ['../payments/payments.ts', '../members/x.ts', '../../engine/ports.ts', 'node:fs'],
};
const onAuthors = ['../database/sql.ts', '../people/authors.ts'];
const notOnAuthors = ['../payments/payments.ts', '../credentials/credential-check.ts'];

/** What each folder or file may import, and what it may not. */
const rooms: Record<string, { may: string[]; mayNot: string[] }> = {
  'contract/src': {
    may: ['./errors/errors.ts', 'typebox', 'typebox/value'],
    mayNot: ['node:fs', '@svc/service/main', '../../service/src/domain/money/money.ts', 'pg'],
  },
  'contract/src/servers/apply-migrations.ts': { may: ['node:fs'], mayNot: ['pg', 'node:net'] },
  'contract/src/servers/serve-metrics.ts': { may: ['node:http'], mayNot: ['node:fs'] },
  'contract/src/errors/errors.ts': { may: ['./errors-a.ts'], mayNot: ['../x.ts', 'typebox'] },
  'service/src/svc.ts': { may: ['./start/config.ts', 'node:fs'], mayNot: ['./main.ts', 'pg'] },
  'service/src/start/config.ts': {
    may: ['node:fs', '@svc/contract/x'],
    mayNot: ['../main.ts', '@svc/vault', '../../../sandbox/src/core/core.ts'],
  },
  'service/src/main.ts': {
    may: ['./http/server.ts', './storage/database/database.ts', 'fastify'],
    mayNot: ['@svc/vault', '../../vault/src/main.ts', '@svc/tools/browser', '../test/harness.ts'],
  },
  'service/src/domain/protocol': {
    may: ['./uuid.ts', '@svc/contract', '@svc/contract/x', 'node:assert'],
    mayNot: [
      '../payments/payment.ts',
      '../money/money.ts',
      '../../storage/payments/payments.ts',
      '../../engine/ports.ts',
      '../../main.ts',
      ...['pg', 'node:crypto', 'node:fs/promises', '@svc/tools/browser'],
      ...['./../payments/payment.ts', '#storage/x'],
    ],
  },
  'service/src/domain/money': {
    may: ['./money.ts', '../protocol/refusal.ts'],
    mayNot: ['../payments/payment.ts', '../people/email.ts', '../../storage/catalog/coupons.ts'],
  },
  'service/src/domain/people': {
    may: ['./email.ts', '../protocol/uuid.ts'],
    mayNot: ['../payments/payment.ts', '../money/money.ts', '../../storage/people/users.ts'],
  },
  'service/src/domain/payments': {
    may: ['./payment.ts', '../money/money.ts', '../people/email.ts', '../protocol/refusal.ts'],
    mayNot: ['../../storage/payments/payments.ts', '../../engine/ports.ts', 'pg'],
  },
  'service/src/domain/reports': {
    may: ['./table-file.ts', '@svc/contract', 'node:assert'],
    mayNot: ['../money/money.ts', '../../storage/reports/reports.ts', 'node:crypto', 'pg'],
  },
  'service/src/domain/search': {
    may: ['./search-days.ts', '../money/currency-signs.ts', '@svc/contract'],
    mayNot: ['../payments/payment.ts', '../../storage/reports/reports.ts', 'pg'],
  },
  'service/src/storage/reports': {
    may: ['../people/authors.ts', '../payments/payments.ts', '../payment-index/x.ts', 'node:zlib'],
    mayNot: ['../subscriptions/subscriptions.ts', '../../operations/index.ts', 'node:fs'],
  },
  'service/src/storage/database': {
    may: ['./sql.ts', '../../domain/payments/payment.ts', '@svc/contract/x', 'pg', 'node:fs'],
    mayNot: [
      ...['../payments/payments.ts', '../../engine/ports.ts', '../../http/rows/api.ts'],
      ...['stripe', 'node:http'],
    ],
  },
  ...Object.fromEntries(
    onDatabase.split(/\s+/).map((folder) => [`service/src/storage/${folder}`, onlyDatabase]),
  ),
  'service/src/storage/credentials': {
    may: ['../database/sql.ts', '../audit-log/request-initiator.ts'],
    mayNot: ['../people/users.ts', '../api-tokens/api-tokens.ts', '../../engine/ports.ts'],
  },
  'service/src/storage/api-tokens': {
    may: ['./api-tokens.ts', '../credentials/credential-check.ts'],
    mayNot: ['../members/memberships.ts', '../payments/payments.ts'],
  },
  'service/src/storage/members': {
    may: ['./memberships.ts', '../credentials/credential-check.ts'],
    mayNot: ['../people/users.ts', '../payments/payments.ts'],
  },
  'service/src/storage/notes': { may: onAuthors, mayNot: ['../views/views.ts', ...notOnAuthors] },
  'service/src/storage/views': { may: onAuthors, mayNot: ['../notes/notes.ts', ...notOnAuthors] },
  'service/src/storage/customers': {
    may: ['./customers.ts', '../payment-methods/payment-methods.ts', '../database/sql.ts'],
    mayNot: ['../payments/payments.ts', '../subscriptions/subscriptions.ts'],
  },
  'service/src/storage/payments': {
    may: ['./payments.ts', '../credentials/credential-check.ts', '../webhooks/events.ts', 'pg'],
    mayNot: [
      '../checkout-sessions/checkout-sessions.ts',
      '../subscriptions/subscriptions.ts',
      '../customers/customers.ts',
      '../../engine/ports.ts',
    ],
  },
  'service/src/storage/subscriptions': {
    may: ['./subscriptions.ts', '../payments/payments.ts'],
    mayNot: ['../checkout-sessions/checkout-sessions.ts', '../catalog/coupons.ts'],
  },
  'service/src/storage/checkout-sessions': {
    may: ['./checkout-sessions.ts', '../payments/payments.ts', '../catalog/coupons.ts'],
    mayNot: ['../people/users.ts', '../webhooks/events.ts', '../../engine/ports.ts'],
  },
  'service/src/engine': {
    may: ['./ports.ts', '../storage/database/database.ts', '../domain/protocol/refusal.ts'],
    mayNot: [
      './steps/payments/ask-provider.ts',
      './runs/payments/run-hold-operation.ts',
      '../operations/index.ts',
      '../http/rows/api.ts',
      '../providers/registry.ts',
      'pg',
    ],
  },
  'service/src/engine/steps/payments': {
    may: [
      './show-payment.ts',
      '../payment-methods/activate.ts',
      '../../ports.ts',
      '../../../storage/payments/payments.ts',
      '../../../domain/payments/payment.ts',
    ],
    mayNot: [
      '../../runs/payments/run-hold-operation.ts',
      '../../../operations/payments/capture-payment.ts',
      '../../../operations/index.ts',
      '../../../http/rows/api.ts',
      '../../../providers/card/calls.ts',
      '../../../main.ts',
      'fastify',
      'stripe',
      'pg',
    ],
  },
  'service/src/engine/runs/payments': {
    may: [
      './run-hold-operation.ts',
      '../checkout-sessions/run-attempt.ts',
      '../../steps/payments/ask-provider.ts',
      '../../ports.ts',
      '../../../storage/payments/payments.ts',
    ],
    mayNot: [
      '../../../operations/payments/capture-payment.ts',
      '../../../operations/index.ts',
      '../../../workers/sweep.ts',
      '../../../main.ts',
      'pg',
    ],
  },
  'service/src/operations/index.ts': {
    may: ['./payments/capture-payment.ts', '../engine/implement.ts', '@svc/contract'],
    mayNot: [
      '../engine/steps/payments/ask-provider.ts',
      '../storage/payments/payments.ts',
      '../http/rows/api.ts',
      '../main.ts',
    ],
  },
  'service/src/operations/payments': {
    may: [
      './settle-capture.ts',
      '../../engine/ports.ts',
      '../../engine/runs/payments/run-hold-operation.ts',
      '../../storage/payments/payments.ts',
      '../../domain/payments/payment.ts',
    ],
    mayNot: [
      '../index.ts',
      '../checkout-sessions/get-checkout-session.ts',
      '../../http/rows/api.ts',
      '../../providers/card/calls.ts',
      '../../workers/sweep.ts',
      '../../main.ts',
      'fastify',
      'stripe',
      'pg',
      '../../../../vault/src/main.ts',
    ],
  },
  'service/src/providers': {
    may: ['./conformance.ts', '../domain/payments/payment.ts', '../engine/ports.ts', 'node:crypto'],
    mayNot: [
      '../storage/payments/payments.ts',
      '../operations/index.ts',
      '../engine/implement.ts',
      '../engine/steps/payments/ask-provider.ts',
      '../http/rows/api.ts',
      'pg',
      'node:fs',
    ],
  },
  'service/src/providers/card': {
    may: ['./translate.ts', '../sending/ask.ts', '../../engine/ports.ts', 'stripe', 'undici'],
    mayNot: [
      '../../storage/payments/payments.ts',
      '../../operations/index.ts',
      '../../engine/steps/payments/ask-provider.ts',
      '@svc/sandbox',
      'node:fs/promises',
    ],
  },
  'service/src/webhooks': {
    may: ['./sign.ts', '../domain/x.ts', '../engine/ports.ts', 'node:net', 'node:dns/promises'],
    mayNot: [
      '../storage/webhooks/events.ts',
      '../operations/index.ts',
      '../engine/implement.ts',
      'pg',
      'stripe',
      'undici',
    ],
  },
  'service/src/oauth': {
    may: ['../engine/steps/oauth/end-grant.ts', '../storage/people/users.ts', 'oidc-provider'],
    mayNot: ['../http/rows/api.ts', '../providers/registry.ts', 'pg'],
  },
  'service/src/http': {
    may: ['./rows/api.ts', '../operations/index.ts', '../domain/x.ts', 'fastify', 'node:fs'],
    mayNot: ['../storage/x.ts', '../providers/card/calls.ts', '../main.ts', 'pg', 'stripe'],
  },
  'service/src/http/rows': {
    may: ['../wire/body.ts', '../../engine/implement.ts', '../../operations/index.ts'],
    mayNot: ['../../storage/payments/payments.ts', '../../main.ts'],
  },
  'service/src/http/docs': {
    may: ['../wire/body.ts', 'marked'],
    mayNot: ['../../storage/payments/payments.ts', '@modelcontextprotocol/server'],
  },
  'service/src/http/mcp': {
    may: ['../rows/api.ts', '@modelcontextprotocol/server', '../../operations/index.ts'],
    mayNot: ['../../storage/payments/payments.ts', '@modelcontextprotocol/client', '../../main.ts'],
  },
  'service/src/workers': {
    may: ['./sweep.ts', '../engine/steps/oauth/sweep-oauth.ts', 'node:timers/promises'],
    mayNot: ['../storage/payments/payments.ts', '../http/rows/api.ts', 'pg', '../main.ts'],
  },
  'service/src/cli': {
    may: ['./line/command.ts', '../engine/runs/audit/run-audit.ts', 'node:fs'],
    mayNot: ['../storage/payments/payments.ts', '../workers/sweep.ts', '../main.ts', 'pg'],
  },
  'service/src/cli/operator': {
    may: ['./audit.ts', '../line/command.ts', '../../engine/runs/audit/run-audit.ts', 'node:fs'],
    mayNot: ['../../storage/payments/payments.ts', '../../workers/sweep.ts', '../../main.ts', 'pg'],
  },
  'vault/src': {
    may: ['./tokens.ts', '@svc/contract/x', 'pg', 'fastify', 'node:crypto'],
    mayNot: ['@svc/service/start/config', '../../service/src/main.ts', 'stripe', '@svc/sandbox'],
  },
  'vault/src/form': {
    may: ['./checks.ts', '@svc/contract/x'],
    mayNot: ['../main.ts', 'pg', 'node:crypto', 'preact', '@svc/browser'],
  },
  'vault/src/form/texts': {
    may: ['./en.ts', '../fields.ts', '@svc/contract'],
    mayNot: ['../../main.ts', '@stripe/stripe-js', 'pg'],
  },
  'deploy/src': { may: ['pg', 'node:fs', './flags.ts'], mayNot: ['fastify', '../main.ts'] },
  'sandbox/src': {
    may: ['./core/core.ts', 'stripe', 'fastify', 'node:sqlite'],
    mayNot: ['@svc/contract', '@svc/contract/x', '../../contract/src/x.ts', 'pg'],
  },
  'sandbox/src/disputes': {
    may: ['../core/core.ts', './open.ts'],
    mayNot: ['../../../contract/src/x.ts', '@svc/service/start/config', '../../package.json'],
  },
  'pages/kit': {
    may: ['./parts/list.tsx', '@svc/contract', 'preact/hooks', '@preact/signals'],
    mayNot: ['../checkout/view.ts', '../account/home.tsx', '@svc/browser', 'node:fs', 'uqr'],
  },
  'pages/checkout': {
    may: ['../kit/icons.tsx', '@svc/browser/card-frame', '@svc/contract', 'preact/hooks'],
    mayNot: ['../../service/src/main.ts', '@svc/service/start/config', 'node:fs', '@svc/server'],
  },
  'pages/customer': {
    may: ['./texts/en.ts', '../checkout/form.ts', '../kit/icons.tsx', '@svc/browser'],
    mayNot: ['../account/home.tsx', '../dashboard/app.tsx', '@svc/server'],
  },
  'pages/customer/texts': {
    may: ['../text.ts', '../../kit/icons.tsx'],
    mayNot: ['../../checkout/texts/en.ts', '../../dashboard/app.tsx', 'node:fs'],
  },
  'pages/account': {
    may: ['./home.tsx', '../kit/router.ts', 'uqr', '@svc/contract'],
    mayNot: ['../checkout/view.ts', '../dashboard/app.tsx', '@svc/browser'],
  },
  'pages/dashboard/payments': {
    may: ['../frame/frame.tsx', '../../kit/router.ts', '@svc/contract/x'],
    mayNot: ['../../checkout/view.ts', '../../account/home.tsx', '@svc/browser', 'uqr'],
  },
  'libraries/browser/src': {
    may: ['./api/wire.ts', '@svc/contract/x'],
    mayNot: ['typebox', '../../server/src/index.ts', '@svc/server', 'node:crypto', 'preact'],
  },
  'libraries/browser/src/react.ts': {
    may: ['./payments/card-payment.ts', 'react'],
    mayNot: ['react-dom', 'preact', '@svc/service/start/config'],
  },
  'libraries/server/src': {
    may: ['./svc.ts', '@svc/contract', 'node:crypto'],
    mayNot: ['typebox', '../../browser/src/index.ts', 'undici', '@svc/service/start/config'],
  },
  'libraries/server/src/inbox': {
    may: ['./inbox.ts', '../errors.ts', '@svc/contract', 'node:crypto'],
    mayNot: ['stripe', 'pg', '@svc/service/start/config'],
  },
  'integrations/medusa/src': {
    may: ['@svc/server', '@svc/server/shops', '@medusajs/framework/utils'],
    mayNot: ['stripe', '@svc/contract/values/currencies'],
  },
  'examples/demo-shop/src': {
    may: ['./shop.ts', '@svc/server', '@svc/browser', 'node:http'],
    mayNot: [
      ...['@svc/contract', '@svc/service/start/config', 'pg'],
      '../../../service/src/start/config.ts',
    ],
  },
  'tools/src': {
    may: ['pg', '../../service/src/main.ts', '@svc/service/start/config'],
    mayNot: ['@svc/proof/soak', '../../proof/soak.ts'],
  },
};

/** Returns what the check says about a tree with these files. */
function complaintsOf(files: Readonly<Record<string, string>>): string[] {
  const tree = mkdtempSync(join(tmpdir(), 'svc-rooms-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    return findForbidden(readGraph(tree)).filter((text) => !text.includes('matches no file'));
  } finally {
    rmSync(tree, { recursive: true });
  }
}

it('every import of the repository is allowed, and ARCHITECTURE.md shows the rooms', () => {
  expect(checkRooms(join(import.meta.dirname, '../../..'))).toEqual([]);
});

describe.each(Object.entries(rooms))('%s', (room, { may, mayNot }) => {
  const file = room.endsWith('.ts') ? room : `${room}/planted.ts`;
  it.each(mayNot)('may not import %s', (name) => {
    for (const write of statements) {
      expect(complaintsOf({ [file]: write(name) }), write(name)).toEqual([
        expect.stringContaining(`${file} may not import ${name}: `),
      ]);
    }
  });

  it('may import what is listed', () => {
    const text = may.flatMap((name) => statements.map((write) => write(name))).join('');
    expect(complaintsOf({ [file]: text })).toEqual([]);
  });
});

it('a folder without a room fails, and says what to do', () => {
  expect(complaintsOf({ 'service/src/storage/planted/rows.ts': '' })).toEqual([
    "service/src/storage/planted has no room: add what it may import to tools/src/checks/rooms.ts, in this folder's row",
  ]);
});

it('a room without a file fails', () => {
  const all = [{ title: '', lives: '', may: { 'a/**': [], 'b/**': [] } }];
  expect(findForbidden(new Map([['a/one.ts', []]]), all)).toEqual([
    "'b/**' matches no file: take it out of tools/src/checks/rooms.ts",
  ]);
});

it('each room of the table has imports planted here', () => {
  const files = Object.keys(rooms).map((room) => (room.endsWith('.ts') ? room : `${room}/x.ts`));
  const graph = new Map(files.map((file) => [file, []]));
  const may = Object.entries(Object.assign({}, ...table.map((room) => room.may)) as Room['may']);
  const open = may.flatMap(([pattern, list]) => (list.includes('**') ? [pattern] : []));
  const unseen = findForbidden(graph).map((text) => text.split("'")[1]);
  expect(unseen.filter((pattern) => !open.includes(pattern ?? ''))).toEqual([]);
});
