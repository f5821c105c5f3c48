// Forgetting by columns: whatever the table of forgetting says of a column is done, once and once more.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { scaled } from '@svc/tools/machine';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aKnownPerson, type Known, searchEverywhere } from '../../../test/customers/forgotten.ts';
import { aSetupSession, submitCard } from '../../../test/customers/setups.ts';
import { callAs } from '../../../test/harness.ts';
import { copyEveryPayment } from '../../../test/payments/listed-payments.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import {
  columnsIn,
  type ForgottenTable,
  forgottenTables,
  judgeColumns,
} from '../../domain/people/forgotten-tables.ts';
import { makeExports } from '../../engine/runs/exports/make-exports.ts';

let world: World;
let server: TestServer;
let owner: pg.Client;
let known: Known;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  known = await aKnownPerson(world, server);
  owner = new pg.Client({ connectionString: world.ownerUrl });
  await owner.connect();
}, scaled(60_000));
afterAll(async () => {
  await owner?.end();
  await server?.close();
  await world?.close();
});

const ask = (call: string, body?: object) =>
  callAs(server.app, world.token, call as 'GET /', {
    ...(body ? { body } : {}),
    headers: { 'idempotency-key': randomUUID() },
  });
const forget = () => ask(`POST /v1/customers/${known.userId}/forget`);

/** A word that stands nowhere else; with an @, because an external id is blanked where it has one. */
const aMark = () => `m${randomUUID().slice(0, 8)}@dump.example`;

/** Rows that are somebody else’s business: people of the merchant have mails and acts as well. */
const only: Readonly<Record<string, string>> = {
  audit_entries: `actor_kind = 'customer'`,
  // That of the forgetting itself has the id alone.
  events: `type <> 'customer.forgotten'`,
  kept_answers: `operation in ('createCustomer', 'createNote')`,
  mails: `kind like 'buyer\\_%'`,
  payment_words: `word like 'value:%'`,
  chargebacks: `type <> 'chargeback'`,
};
/** Text that names the person in the language of its column. */
const naming: Readonly<Record<string, (mark: string) => string>> = {
  'export_schedules.filters': (mark) => JSON.stringify([{ field: 'email', values: [mark] }]),
  'views.query': (mark) => `status=failed&email=${encodeURIComponent(mark)}`,
};
/** Not filled: the provider knows its ids, four digits are no word, and what is sealed or signed says nothing. */
const unfilled = new Set([
  'payment_methods.provider_customer_id',
  'payment_methods.provider_payment_method_id',
  'payment_methods.last_four',
]);

type Fill = { readonly place: string; readonly table: string; readonly set: string };

/** How the mark gets into each column that forgetting empties, cleans or deletes. */
function fillsOf(table: string, lines: ForgottenTable, mark: string): Fill[] {
  const literal = pg.escapeLiteral;
  const fill = (column: string, value: string): Fill => ({
    place: `public.${table}.${column}`,
    table,
    set: `${column} = ${value}`,
  });
  const json = (fields: string) =>
    literal(
      JSON.stringify(
        Object.fromEntries(
          columnsIn(fields).map((key) => [key, key === 'metadata' ? { who: mark } : mark]),
        ),
      ),
    );
  const empty = columnsIn(lines.emptied).map((column) =>
    /^(metadata|card|challenge)$/.test(column)
      ? fill(column, literal(JSON.stringify({ who: mark })))
      : fill(column, literal(mark)),
  );
  const clean = Object.entries(lines.cleaned ?? {}).map(([column, fields]) => {
    const type = /^(payload|response_body)$/.test(column) ? 'text' : 'jsonb';
    const text = `nullif(${column}::text, '')::jsonb || ${json(fields)}`;
    return fill(column, `coalesce((${text})::text, ${column}::text)::${type}`);
  });
  const name = columnsIn(lines.named).map((column) =>
    column === 'body_sealed'
      ? fill(column, `body_sealed || convert_to(${literal(mark)}, 'UTF8')`)
      : fill(column, literal((naming[`${table}.${column}`] ?? String)(mark))),
  );
  const gone = columnsIn(lines.deleted).map((column) =>
    /^(body|sealed|answer_sealed)$/.test(column)
      ? fill(column, `${column} || convert_to(${literal(mark)}, 'UTF8')`)
      : /^(filters|headers)$/.test(column)
        ? fill(column, literal(JSON.stringify([{ field: 'email', values: [mark] }])))
        : fill(column, `coalesce(${column}, '') || ${literal(mark)}`),
  );
  return [...empty, ...clean, ...name, ...gone].filter(
    ({ place }) => !unfilled.has(place.replace('public.', '')),
  );
}

/** Writes the mark into the columns, whatever the guards say; returns those that have it now. */
async function fillColumns(
  mark: string,
  without: readonly string[] = [],
): Promise<readonly string[]> {
  const wanted = Object.entries(forgottenTables)
    .filter(([table]) => !table.includes('.') && !without.includes(table))
    .flatMap(([table, lines]) => fillsOf(table, lines, mark));
  await owner.query('begin');
  for (const { table, set } of wanted) {
    await owner.query(`alter table ${table} disable trigger user`);
    // Ledgers close over chargebacks: their metadata is the service’s own ids.
    const rows = /^metadata/.test(set) && table === 'payments' ? only.chargebacks : only[table];
    await owner.query(`update ${table} set ${set}${rows ? ` where ${rows}` : ''}`);
    await owner.query(`alter table ${table} enable trigger user`);
  }
  await owner.query('commit');
  return left(mark);
}
const everyPlace = (): string[] =>
  Object.entries(forgottenTables)
    .filter(([table]) => !table.includes('.'))
    .flatMap(([table, lines]) => fillsOf(table, lines, '').map(({ place }) => place))
    .sort();
/** The columns of the whole database that have the mark. */
const left = (mark: string): Promise<readonly string[]> =>
  searchEverywhere(world, mark.replaceAll('.', '\\.').replace('@', '(@|%40)'));

/** What a customer did on the customer's page, with the network and browser that it was done from. */
const customersAct = `insert into audit_entries (id, client_id, actor_kind, actor_customer_id, action, resource_type,
    resource_id, before, after, address, user_agent, created_at)
  values (gen_random_uuid(), $1, 'customer', $2, 'payment_method.deleted', 'payment_method', 'pm', '{}', '{}', '192.0.2.7',
    'Firefox', svc_clock())`;

/** The answer to a create of theirs, kept for repeats. */
const keptAnswer = `insert into kept_answers (id, client_id, operation, idempotency_key, request_sha256, status,
    answer_sealed, is_final, resource_id, expires_at)
  values (gen_random_uuid(), $1, 'createCustomer', 'a key', sha256('a'), 201, 'sealed', true, $2,
    svc_clock() + interval '1 day')`;

describe('forgetCustomer, by columns', () => {
  it('every column of a real database has a line, and every line a column', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select case when n.nspname = 'public' then '' else n.nspname || '.' end || c.relname || '.' || a.attname as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname in ('public', 'vault') and a.attnum > 0 and not a.attisdropped
         and c.relname not in ('schema_migrations', 'migrations')
         and format_type(a.atttypid, null) ~ '^(text|json|jsonb|bytea|character varying|citext)(\\[\\])?$'
       order by 1`,
    );
    expect(judgeColumns(rows.map(({ name }) => name)).join('\n')).toBe('');
  });

  it('docs/operating/erasure.md names every table that changes', () => {
    const page = readFileSync(
      new URL('../../../../docs/operating/erasure.md', import.meta.url),
      'utf8',
    );
    const lacking = Object.keys(forgottenTables).filter((table) => !page.includes(`\`${table}\``));
    expect(lacking).toEqual([]);
  });

  it('a mark in each of them is nowhere afterwards, nor is what was written later once it is forgotten again', async () => {
    await owner.query(customersAct, [world.client.id, known.userId]);
    await owner.query(keptAnswer, [world.client.id, known.userId]);
    const setup = await aSetupSession(world, { userId: known.userId });
    await submitCard(world, setup);
    await makeExports(world.ports, { onError: (_, error) => expect.fail(`${error}`) });
    const first = aMark();
    expect(await fillColumns(first)).toEqual(everyPlace());
    const answer = await forget();
    expect(answer.statusCode, answer.body).toBe(200);
    await copyEveryPayment(world);
    expect(await left(first)).toEqual([]);

    const later = aMark();
    const refund = await ask(`POST /v1/payments/${known.paymentId}/refunds`, {
      amount: 1,
      metadata: { who: later },
    });
    expect(refund.statusCode, refund.body).toBe(201);
    const note = { resourceType: 'payment', resourceId: refund.json().id, text: `${later} called` };
    expect((await ask('POST /v1/notes', note)).statusCode).toBe(201);
    expect((await ask(`POST /v1/exports?metadata.who[eq]=${later}`)).statusCode).toBe(202);
    await copyEveryPayment(world);
    const places = await left(later);
    expect(places).toEqual(
      expect.arrayContaining(
        [
          ...['payments.metadata', 'events.payload', 'payment_operations.response_body'],
          ...['payment_words.word', 'notes.text', 'audit_entries.after', 'exports.filters'],
        ].map((place) => `public.${place}`),
      ),
    );
    // Whatever a late answer or an earlier version may have written down. Guards keep a forgotten customer and a
    // removed card as they are, and no address is known that views and mails could be found by.
    const guarded = ['customers', 'payment_methods', 'views', 'mails', 'export_schedules'];
    await fillColumns(later, guarded);
    expect((await forget()).statusCode).toBe(200);
    await copyEveryPayment(world);
    expect(await left(later)).toEqual([]);
    expect((await ask(`GET /v1/payments/${refund.json().id}`)).json().metadata).toEqual({});
    // The third finds nothing: the log has two entries.
    expect((await forget()).statusCode).toBe(200);
    const logged = await ask(
      `GET /v1/audit-entries?action[eq]=customer.forgotten&resourceId[eq]=${known.userId}`,
    );
    expect(logged.json().total).toBe(2);
  });
});
