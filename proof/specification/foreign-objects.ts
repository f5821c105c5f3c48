// Creates one object of each kind for a merchant or a person. Others must not be able to
// distinguish these objects from missing ones.

import { randomBytes } from 'node:crypto';
import { scopes as allScopes } from '@svc/contract/rows/scopes';
import pg from 'pg';
import {
  aCustomer,
  aGateway,
  aProduct,
  aToken,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../service/test/harness.ts';
import { plantInDatabase } from '../../service/test/payments/planted.ts';
import {
  aStoredEvent,
  aStoredPayment,
  aStoredSession,
} from '../../service/test/payments/stored-rows.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aWebhookEndpoint } from '../../service/test/webhooks/webhooks.ts';

export type Objects = {
  readonly client: TestClient;
  readonly owner: TestToken;
  readonly nonce: string;
  /** The ids by the name of the path's section and parameter. */
  readonly ids: Readonly<Record<string, string>>;
};

const at = '2026-01-01T00:00:00Z';
const hex = (size: number) => `\\x${randomBytes(size).toString('hex')}`;

export async function createObjectOfEach(db: TestDatabase, client: TestClient): Promise<Objects> {
  const { database } = db;
  // Calls about people and applications require a token that names their scope.
  const owner = await aToken(database, client, { scopes: allScopes });
  const second = await aToken(database, client, { user: { id: owner.userId } });
  const member = await aToken(database, client, { role: 'member' });
  const gateway = await aGateway(database, client);
  const customer = await aCustomer(database, client);
  const product = await aProduct(database, client);
  const payment = await aStoredPayment(database, client, { gateway });
  const event = await aStoredEvent(database, client);
  const endpoint = await aWebhookEndpoint(database, client, { url: 'https://shop.example/' });
  const nonce = randomBytes(32).toString('base64url');
  const session = await aStoredSession(database, client, { gateway, nonce });
  const user = { id: owner.userId };
  const consent = await aGrant(portsFor(database), { user, client, scopes: ['mcp'] });
  // An application must have used the consent: until then it is only a request.
  const use = 'update oauth_grants set last_used_at = svc_clock() where id = $1';
  await database.write({ name: 'use_consent', text: use }, [consent.grantId]);
  const planted = rowsOf({ client, owner, gateway, customer, payment, session });
  // Columns that are not named have their defaults, and nothing may be inserted into a generated one.
  const insertStatement = (table: string, row: object) => `do $$ declare columns text; begin
    select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
      where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        and attname = any('{${Object.keys(row)}}');
    execute format('insert into ${table} (%s) select %s from jsonb_populate_record(null::${table}, %L)',
      columns, columns, ${pg.escapeLiteral(JSON.stringify(row))}); end $$`;
  await plantInDatabase(db.ownerUrl, async (plant) => {
    for (const [table, row] of Object.entries(planted)) {
      await plant(insertStatement(table, { created_at: at, updated_at: at, ...row }));
    }
  });
  const ids = {
    'payments paymentId': payment.id,
    'subscriptions subscriptionId': planted.subscriptions.id,
    'disputes disputeId': planted.disputes.id,
    'events eventId': event.id,
    'provider-accounts id': gateway.id,
    'webhook-endpoints id': endpoint.id,
    'products code': product.code,
    'coupons code': planted.coupons.code,
    'customers customerId': customer.id,
    'payment-methods id': planted.payment_methods.id,
    'api-tokens id': second.id,
    'members userId': member.userId,
    'invitations invitationId': planted.invitations.id,
    'applications id': planted.applications.id,
    'notes noteId': planted.notes.id,
    'exports exportId': planted.exports.id,
    'export-schedules exportScheduleId': planted.export_schedules.id,
    'views viewId': planted.views.id,
    'refund-requests refundRequestId': planted.refund_requests.id,
    'account/memberships clientId': client.id,
    'account/passkeys passkeyId': planted.passkeys.id,
    'account/sign-ins signInId': planted.sign_ins.id,
    'account/applications id': consent.grantId,
    'customer-page/payment-methods id': planted.payment_methods.id,
    'customer-page/subscriptions subscriptionId': planted.subscriptions.id,
    'customer-page/payments paymentId': payment.id,
    'checkout-sessions sessionId': session.id,
    'checkouts/sessions sessionId': session.id,
    'checkouts/sessions checkoutSessionId': session.id,
  };
  return { client, owner, nonce, ids };
}

type Parts = {
  readonly client: TestClient;
  readonly owner: TestToken;
  readonly gateway: { readonly id: string };
  readonly customer: { readonly id: string };
  readonly payment: { readonly id: string };
  readonly session: { readonly id: string };
};

const soon = new Date(Date.now() + 86_400_000).toISOString();

/** The rows by table, with the fields that have no default. */
const rowsOf = (parts: Parts) => ({
  ...moneyOf(parts),
  ...settingsOf(parts),
  ...keptOf(parts),
  ...accountOf(parts),
});

function moneyOf({ client, gateway, customer, payment, session }: Parts) {
  const ofClient = { client_id: client.id };
  const ofGateway = { gateway_id: gateway.id, provider: 'cardprovider', is_live: false };
  const versions = { version: 1, event_seq: 1 };
  const method = newId();
  return {
    payment_methods: {
      ...ofClient,
      ...ofGateway,
      ...versions,
      id: method,
      user_id: customer.id,
      type: 'card',
      session_id: session.id,
      provider_customer_id: 'cus_x',
      provider_payment_method_id: `pm_${method}`,
      brand: 'visa',
      last_four: '4242',
      expiry_month: 4,
      expiry_year: 2034,
      verified_at: at,
      status: 'active',
    },
    subscriptions: {
      ...ofClient,
      ...ofGateway,
      ...versions,
      id: newId(),
      user_id: customer.id,
      session_id: session.id,
      product_code: 'club',
      product_name: 'Club',
      quantity: 1,
      amount_minor: 100,
      currency: 'EUR',
      interval_unit: 'month',
      metadata: {},
      anchored_at: at,
      payment_method_id: method,
      status: 'active',
      periods: 1,
      current_period_end: soon,
      tries: 0,
      next_renewal_at: soon,
    },
    disputes: {
      ...ofClient,
      ...ofGateway,
      ...versions,
      id: newId(),
      payment_id: payment.id,
      provider_dispute_id: `dp_${payment.id}`,
      status: 'needs_response',
      reason: 'fraudulent',
      amount_minor: 100,
      currency: 'EUR',
      opened_at: at,
    },
  };
}

const settingsOf = ({ client, owner, customer, payment }: Parts) => {
  const ofClient = { client_id: client.id };
  return {
    coupons: {
      ...ofClient,
      code: `C${randomBytes(4).toString('hex')}`.toUpperCase(),
      percent_off_basis_points: 1000,
      is_active: true,
      is_ended_early: false,
      redemptions: 0,
      version: 1,
    },
    notes: {
      ...ofClient,
      id: newId(),
      resource_type: 'customer',
      resource_id: customer.id,
      text: 'Called about the parcel.',
      author_id: owner.userId,
      version: 0,
    },
    refund_requests: {
      ...ofClient,
      id: newId(),
      payment_id: payment.id,
      amount_minor: 100,
      currency: 'EUR',
      idempotency_key: newId(),
      canon_sha256: hex(32),
      requested_by: owner.userId,
      status: 'waiting',
      version: 0,
      event_seq: 0,
      expires_at: '2126-01-01T00:00:00Z',
    },
    invitations: {
      ...ofClient,
      id: newId(),
      email: `${newId()}@example.test`,
      role: 'member',
      token_sha256: hex(32),
      state: 'open',
      invited_by: owner.userId,
      expires_at: soon,
    },
    applications: {
      ...ofClient,
      id: newId(),
      name: 'An application',
      kind: 'public',
      redirect_uris: ['https://app.example/callback'],
      scopes: ['mcp'],
      version: 1,
    },
  };
};

/** What a person keeps of lists: files and views. */
const keptOf = ({ client, owner }: Parts) => {
  const ofClient = { client_id: client.id };
  return {
    exports: {
      ...ofClient,
      id: newId(),
      author_id: owner.userId,
      status: 'failed',
      failure: 'not_made',
      filters: [],
      columns: 'id',
      style: 'program',
      time_zone: 'UTC',
      rows_written: 0,
      chunks: 0,
      bytes: 0,
      epoch: 0,
      kept_until: '2099-01-01T00:00:00Z',
    },
    export_schedules: {
      ...ofClient,
      id: newId(),
      author_id: owner.userId,
      filters: [],
      columns: 'id',
      style: 'program',
      next_month: '2099-01-01',
      begins_at: '2099-01-01T00:00:00Z',
    },
    views: {
      ...ofClient,
      id: newId(),
      author_id: owner.userId,
      list: 'payments',
      name: 'Failed',
      query: 'status=failed',
      is_shared: false,
      version: 0,
    },
  };
};

const accountOf = ({ owner }: Parts) => {
  const ofPerson = { user_id: owner.userId };
  return {
    passkeys: {
      ...ofPerson,
      id: newId(),
      credential_id: hex(16),
      public_key: hex(64),
      algorithm: -7,
      sign_count: 0,
      name: 'A passkey',
      transports: [],
    },
    sign_ins: {
      ...ofPerson,
      id: newId(),
      token_sha256: hex(32),
      state: 'open',
      method: 'password',
      proven_at: at,
      last_seen_at: at,
      expires_at: soon,
    },
  };
};
