// Every room's allow-list refuses: forbidden imports are planted in a separate tree with the
// project's configuration, beside permitted ones that must pass.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './command.ts';

const root = join(import.meta.dirname, '../../..');
const tree = mkdtempSync(join(tmpdir(), 'svc-rooms-'));

/** What each folder or file may import, and what it may not. */
const rooms: Record<string, { may: string[]; mayNot: string[] }> = {
  'contract/src': {
    may: ['./errors.ts', 'typebox', 'typebox/value'],
    mayNot: ['node:fs', '@svc/service/main', '../../service/src/domain/money/money.ts', 'pg'],
  },
  'contract/src/errors.ts': { may: [], mayNot: ['./row.ts', 'typebox', 'node:assert'] },
  'service/src/config.ts': {
    may: ['node:fs', '@svc/contract/errors'],
    mayNot: ['./main.ts', '@svc/vault', '../../sandbox/src/core.ts'],
  },
  'service/src/main.ts': {
    may: ['./http/server.ts', './storage/database/database.ts', 'fastify'],
    mayNot: ['@svc/vault', '../../vault/src/main.ts', '@svc/tools/browser', '../test/harness.ts'],
  },
  'service/src/domain/protocol': {
    may: ['./uuid.ts', '@svc/contract', '@svc/contract/errors', 'node:assert'],
    mayNot: [
      '../payments/payment.ts',
      '../money/money.ts',
      '../../storage/payments/payments.ts',
      '../../engine/ports.ts',
      '../../main.ts',
      '../../config.ts',
      'pg',
      'node:crypto',
      'node:fs/promises',
      '@svc/tools/browser',
      './../payments/payment.ts',
      '#storage/x',
    ],
  },
  'service/src/domain/money': {
    may: ['./money.ts', '../protocol/refusal.ts'],
    mayNot: ['../payments/payment.ts', '../people/email.ts', '../../storage/catalog/coupons.ts'],
  },
  'service/src/domain/people': {
    may: ['./email.ts', '../protocol/uuid.ts'],
    mayNot: ['../payments/payment.ts', '../money/money.ts', '../../storage/accounts/users.ts'],
  },
  'service/src/domain/payments': {
    may: ['./payment.ts', '../money/money.ts', '../people/email.ts', '../protocol/refusal.ts'],
    mayNot: ['../../storage/payments/payments.ts', '../../engine/ports.ts', 'pg'],
  },
  'service/src/storage/database': {
    may: ['./sql.ts', '../../domain/payments/payment.ts', '@svc/contract/events', 'pg', 'node:fs'],
    mayNot: [
      '../payments/payments.ts',
      '../accounts/credential-check.ts',
      '../../engine/ports.ts',
      '../../http/rows/api.ts',
      '../../main.ts',
      'stripe',
      'node:http',
    ],
  },
  'service/src/storage/accounts': {
    may: ['./users.ts', '../database/sql.ts', '../../domain/people/member.ts'],
    mayNot: ['../payments/payments.ts', '../webhooks/events.ts', '../../engine/ports.ts'],
  },
  'service/src/storage/gateways': {
    may: ['./gateways.ts', '../database/sql.ts'],
    mayNot: ['../payments/payments.ts', '../accounts/users.ts', '../../engine/ports.ts'],
  },
  'service/src/storage/catalog': {
    may: ['./coupons.ts', '../database/sql.ts'],
    mayNot: ['../payments/payments.ts', '../checkout-sessions/checkout-sessions.ts', 'node:fs'],
  },
  'service/src/storage/webhooks': {
    may: ['./events.ts', '../database/sql.ts'],
    mayNot: ['../payments/payments.ts', '../accounts/users.ts', '../../webhooks/send.ts'],
  },
  'service/src/storage/payment-methods': {
    may: ['./payment-methods.ts', '../database/sql.ts'],
    mayNot: ['../payments/payments.ts', '../customers/customers.ts', '../../engine/ports.ts'],
  },
  'service/src/storage/customers': {
    may: ['./customers.ts', '../payment-methods/payment-methods.ts', '../database/sql.ts'],
    mayNot: ['../payments/payments.ts', '../subscriptions/subscriptions.ts'],
  },
  'service/src/storage/payment-index': {
    may: ['./major-units.ts', '../database/sql.ts', '../../domain/money/money.ts'],
    mayNot: ['../payments/payments.ts', '../accounts/users.ts', '../../engine/ports.ts'],
  },
  'service/src/storage/payments': {
    may: ['./payments.ts', '../accounts/credential-check.ts', '../webhooks/events.ts', 'pg'],
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
    mayNot: ['../accounts/users.ts', '../webhooks/events.ts', '../../engine/ports.ts'],
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
    may: ['../engine/steps/oauth/end-grant.ts', '../storage/accounts/users.ts', 'oidc-provider'],
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
  'service/src/workers': {
    may: ['./sweep.ts', '../engine/runs/oauth/sweep-oauth.ts', 'node:timers/promises'],
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
    may: ['./tokens.ts', '@svc/contract/vault', 'pg', 'fastify', 'node:crypto'],
    mayNot: ['@svc/service/config', '../../service/src/config.ts', 'stripe', '@svc/sandbox'],
  },
  'vault/src/form': {
    may: ['./checks.ts', '@svc/contract/card-number'],
    mayNot: ['../main.ts', 'pg', 'node:crypto', 'preact', '@svc/browser'],
  },
  'sandbox/src': {
    may: ['./core.ts', 'stripe', 'fastify', 'node:sqlite'],
    mayNot: ['@svc/contract', '@svc/contract/errors', '../../contract/src/errors.ts', 'pg'],
  },
  'sandbox/src/disputes': {
    may: ['../core.ts', './open.ts'],
    mayNot: ['../../../contract/src/errors.ts', '@svc/service/config', '../../package.json'],
  },
  'pages/checkout': {
    may: ['./view.ts', '@svc/browser', '@svc/browser/card-frame', '@svc/contract', 'preact/hooks'],
    mayNot: ['../../service/src/config.ts', '@svc/service/config', 'node:fs', '@svc/server'],
  },
  'libraries/browser/src': {
    may: ['./wire.ts', '@svc/contract/form-messages'],
    mayNot: ['typebox', '../../server/src/index.ts', '@svc/server', 'node:crypto', 'preact'],
  },
  'libraries/server/src': {
    may: ['./svc.ts', '@svc/contract', 'node:crypto'],
    mayNot: ['typebox', '../../browser/src/index.ts', 'undici', '@svc/service/config'],
  },
  'examples/demo-shop/src': {
    may: ['./shop.ts', '@svc/server', '@svc/browser', 'node:http'],
    mayNot: ['@svc/contract', '@svc/service/config', '../../../service/src/config.ts', 'pg'],
  },
  'tools/src': {
    may: ['pg', '../../service/src/config.ts', '@svc/service/config'],
    mayNot: ['@svc/proof/soak', '../../proof/soak.ts'],
  },
};

type Finding = { category: string; location: { path: string } };
const refused = new Set<string>();

/** A single file is a room of its own: each import planted in it needs a tree of its own. */
function placeOf(room: string, kind: string, at: number): { folder: string; file: string } {
  return room.endsWith('.ts')
    ? { folder: `${kind}-${at}`, file: room }
    : { folder: 'rooms', file: `${room}/${kind}-${at}.ts` };
}

beforeAll(async () => {
  const folders = new Set<string>();
  for (const [room, { may, mayNot }] of Object.entries(rooms)) {
    for (const [kind, names] of Object.entries({ may, mayNot })) {
      for (const [at, name] of names.entries()) {
        const { folder, file } = placeOf(room, kind, at);
        folders.add(folder);
        mkdirSync(dirname(join(tree, folder, file)), { recursive: true });
        writeFileSync(join(tree, folder, file), `export * from '${name}';\n`);
      }
    }
  }
  for (const folder of folders) await findRefused(folder);
});
afterAll(() => rmSync(tree, { recursive: true }));

async function findRefused(folder: string): Promise<void> {
  for (const name of ['biome.json', 'no-fixed-waits.grit']) {
    cpSync(join(root, name), join(tree, folder, name));
  }
  const biome = join(root, 'node_modules/.bin/biome');
  const args = ['--reporter=json', '--max-diagnostics=none', '--only=noRestrictedImports', '.'];
  // Warnings go to the other stream, because they would break the JSON.
  const { out } = await runCommand(join(tree, folder), [biome, 'lint', ...args]);
  const { diagnostics } = JSON.parse(out) as { diagnostics: Finding[] };
  for (const { category, location } of diagnostics) {
    if (category === 'lint/style/noRestrictedImports') refused.add(join(folder, location.path));
  }
}

describe.each(Object.entries(rooms))('%s', (room, { may, mayNot }) => {
  it.each(mayNot)('may not import %s', (name) => {
    const { folder, file } = placeOf(room, 'mayNot', mayNot.indexOf(name));
    expect(refused).toContain(join(folder, file));
  });
  it.runIf(may.length > 0).each(may)('may import %s', (name) => {
    const { folder, file } = placeOf(room, 'may', may.indexOf(name));
    expect(refused).not.toContain(join(folder, file));
  });
});
