// The database defends what a saved card was verified as, its uses, its set-ups and the links to the
// customer's own page against plain SQL, as the service's role and as the owner. docs/decisions/saved-cards.md.

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AttackOptions,
  type Attacks,
  openAttacks,
  type Role,
  roles,
} from '../../../test/attacks/attacks.ts';
import { aClient, aCustomer, newId, type TestClient } from '../../../test/harness.ts';

let fixture: Attacks;
let rival: TestClient;
let userId: string;
beforeAll(async () => {
  fixture = await openAttacks();
  rival = await aClient(fixture.db.database);
  userId = (await aCustomer(fixture.db.database, fixture.client)).id;
});
afterAll(() => fixture?.close());

const at = '2026-01-01T00:00:00Z';
const illegal = { code: '23514' };
const never = { code: '23000' };

describe.each(roles)('as %s', (role: Role) => {
  const run = (text: string, values: unknown[] = []) => fixture.as[role].query(text, values);
  beforeEach(() => run('begin'));
  afterEach(() => run('rollback'));

  const ownedRow = () => ({ client_id: fixture.client.id, user_id: userId });
  const method = async (given: AttackOptions = {}): Promise<string> => {
    const id = newId();
    await fixture.put(role, 'payment_methods', {
      id,
      ...ownedRow(),
      gateway_id: fixture.gateway.id,
      provider: 'cardprovider',
      type: 'card',
      session_id: newId(),
      is_live: false,
      status: 'pending',
      brand: 'visa',
      last_four: '4242',
      expiry_month: 12,
      expiry_year: 2034,
      created_at: at,
      updated_at: at,
      ...given,
    });
    return id;
  };
  const activate = async (id: string): Promise<string> => {
    await run(
      `update payment_methods set status = 'active', provider_customer_id = 'cus_1',
         provider_payment_method_id = $2, verified_at = svc_clock(), event_seq = 1 where id = $1`,
      [id, `pm_${id}`],
    );
    return id;
  };
  const createActive = async (given: AttackOptions = {}) => activate(await method(given));
  const changeRow = (id: string, set: string) =>
    run(`update payment_methods set ${set} where id = $1`, [id]);

  describe('a customer', () => {
    it('is not born with a default, whoever it belongs to', async () => {
      const row = { ...ownedRow(), id: newId(), email: 'x@example.test', metadata: '{}' };
      const { user_id: _, ...customer } = row;
      const born = { ...customer, created_at: at, updated_at: at };
      await fixture.put(role, 'customers', born);
      const given = { ...born, id: newId(), default_payment_method_id: await createActive() };
      await expect(fixture.put(role, 'customers', given)).rejects.toMatchObject(never);
    });
  });

  describe('an active method', () => {
    const changes = [
      "last_four = '1111'",
      'last_four = null',
      "brand = 'mastercard'",
      'expiry_month = 1',
      'expiry_year = 2040',
      "payer_email = 'jo@example.test'",
      "type = 'google_pay'",
    ];
    it.each(changes)('stays the card that was verified: no %s', async (set) => {
      const id = await method();
      await changeRow(id, set);
      await changeRow(id, "last_four = '4242', brand = 'visa', expiry_month = 12");
      const other = await createActive();
      await expect(changeRow(other, set)).rejects.toMatchObject(illegal);
    });

    it.each(["'2026-02-01T00:00:00Z'", 'null'])(
      'its last charge does not go back to %s',
      async (time) => {
        const id = await createActive();
        await changeRow(id, "last_charged_at = '2026-03-01T00:00:00Z'");
        await changeRow(id, "last_charged_at = '2026-04-01T00:00:00Z'");
        const back = changeRow(id, `last_charged_at = ${time}`);
        await expect(back).rejects.toMatchObject(illegal);
      },
    );
  });

  describe('a use', () => {
    const useMethod = (paymentId: string, methodId: string) =>
      fixture.put(role, 'payment_method_uses', {
        payment_id: paymentId,
        client_id: fixture.client.id,
        payment_method_id: methodId,
        purpose: 'charge',
        claimed_at: at,
      });

    it('stays', async () => {
      await useMethod(await fixture.aRow(role, { status: 'pending' }), await createActive());
      const gone = run('delete from payment_method_uses where client_id = $1', [fixture.client.id]);
      await expect(gone).rejects.toMatchObject(never);
    });

    it("is one of a payment, and of the client's own", async () => {
      const id = await createActive();
      await run('savepoint before');
      await expect(useMethod(newId(), id)).rejects.toMatchObject(illegal);
      await run('rollback to before');
      const theirs = await fixture.aRow(role, { client_id: rival.id, status: 'pending' });
      await expect(useMethod(theirs, id)).rejects.toMatchObject(illegal);
    });
  });

  describe('a detachment', () => {
    it.each<AttackOptions>([
      { step: 'verified' },
      { step: 'detached' },
      { state: 'failed', failure_reason: 'x', finished_at: at },
      { step: 'removed', state: 'removed', finished_at: at },
    ])('is not born %j', async (given) => {
      const born = { step: 'claimed', state: 'running', started_at: at, next_try_at: at };
      const id = await createActive();
      const row = { payment_method_id: id, client_id: fixture.client.id, ...born, ...given };
      await expect(fixture.put(role, 'payment_method_detachments', row)).rejects.toMatchObject(
        never,
      );
    });
  });

  describe('a set-up', () => {
    const session = async (): Promise<string> => {
      const id = newId();
      await fixture.put(role, 'checkout_sessions', {
        id,
        ...ownedRow(),
        nonce_sha256: randomBytes(32),
        mode: 'setup',
        status: 'open',
        capture_method: 'automatic',
        gateway_id: fixture.gateway.id,
        email: 'x@example.test',
        is_buyer_verified: true,
        expires_at: '2036-01-01T00:00:00Z',
        created_at: at,
        updated_at: at,
      });
      return id;
    };
    const setup = async (given: AttackOptions = {}): Promise<string> => {
      const id = newId();
      await fixture.put(role, 'card_setups', {
        id,
        client_id: fixture.client.id,
        session_id: await session(),
        payment_method_id: await method(),
        gateway_id: fixture.gateway.id,
        confirmed_by: 'page',
        first_sent_at: at,
        created_at: at,
        next_check_at: at,
        state: 'active',
        ...given,
      });
      return id;
    };
    const step = (id: string, set: string, values: unknown[] = []) =>
      run(`update card_setups set ${set} where id = $1`, [id, ...values]);
    const ended = "state = 'succeeded', finished_at = svc_clock()";

    it('begins, waits and ends', async () => {
      const id = await setup();
      await step(id, "state = 'awaiting_customer'");
      await step(id, ended);
    });

    it.each(['succeeded', 'failed', 'in_doubt'])('is not born %s', async (state) => {
      const given = state === 'in_doubt' ? { state } : { state, finished_at: at };
      await expect(setup(given)).rejects.toMatchObject(never);
    });

    it.each(['session_id', 'client_id', 'gateway_id', 'id', 'payment_method_id'])(
      'keeps its %s',
      async (column) => {
        const id = await setup();
        const other = step(id, `${column} = $2`, [newId()]);
        await expect(other).rejects.toMatchObject(illegal);
      },
    );

    it("ends with a card that was saved before, and with no stranger's", async () => {
      const id = await setup();
      const known = await createActive();
      const pending = await method();
      const { id: strange } = await aCustomer(fixture.db.database, fixture.client);
      const theirs = await createActive({ user_id: strange });
      for (const other of [pending, theirs, newId()]) {
        await run('savepoint before');
        const end = step(id, `${ended}, payment_method_id = $2`, [other]);
        await expect(end).rejects.toMatchObject(illegal);
        await run('rollback to before');
      }
      await step(id, `${ended}, payment_method_id = $2`, [known]);
    });
  });

  describe("a link to the customer's page", () => {
    const link = async (given: AttackOptions = {}): Promise<string> => {
      const id = newId();
      await fixture.put(role, 'customer_page_links', {
        id,
        ...ownedRow(),
        link_sha256: randomBytes(32),
        return_url: '/account',
        created_at: at,
        expires_at: '2036-01-01T00:00:00Z',
        maker_via: 'service',
        mailed_to_sha256: randomBytes(32),
        ...given,
      });
      return id;
    };
    const open = (linkId: string, given: AttackOptions = {}) =>
      fixture.put(role, 'customer_pages', {
        page_sha256: randomBytes(32),
        client_id: ownedRow().client_id,
        link_id: linkId,
        opened_at: at,
        expires_at: '2026-01-01T00:30:00Z',
        ...given,
      });
    const refused = async (attempt: Promise<unknown>, how: object) => {
      await expect(attempt).rejects.toMatchObject(how);
      await run('rollback to before');
    };

    it('is opened as often as it is loaded, until its time is over', async () => {
      const id = await link({ expires_at: '2026-01-01T00:10:00Z' });
      await open(id);
      await open(id, { opened_at: '2026-01-01T00:09:59Z' });
      await run('savepoint before');
      const late = { opened_at: '2026-01-01T00:10:00Z', expires_at: '2026-01-01T00:40:00Z' };
      await refused(open(id, late), illegal);
      await refused(open(newId()), illegal);
      await refused(open(id, { expires_at: at }), illegal);
    });

    it.each([
      ['customer_page_links', "expires_at = '2037-01-01T00:00:00Z'"],
      ['customer_page_links', 'link_sha256 = sha256(link_sha256)'],
      ['customer_page_links', "return_url = '/elsewhere'"],
      ['customer_pages', "expires_at = '2037-01-01T00:00:00Z'"],
      ['customer_pages', 'page_sha256 = sha256(page_sha256)'],
    ])('of %s never changes: %s', async (table, set) => {
      await open(await link());
      await expect(run(`update ${table} set ${set}`)).rejects.toMatchObject(never);
    });
  });

  describe('an address that a customer asked for', () => {
    const ask = async () => {
      const { client_id } = ownedRow();
      const mail = { id: newId(), client_id, recipient: 'a@new.example', created_at: at };
      const waiting = { kind: 'buyer_test', body_sealed: randomBytes(9), state: 'waiting' };
      await fixture.put(role, 'mails', { ...mail, ...waiting, next_attempt_at: at });
      await fixture.put(role, 'customer_addresses', {
        ...{ id: newId(), ...ownedRow(), mail_id: mail.id, state: 'waiting' },
        ...{ email: 'a@new.example', former_email: 'a@old.example' },
        ...{ secret_sha256: randomBytes(32), created_at: at, expires_at: '2036-01-01T00:00:00Z' },
      });
    };

    it.each([
      "email = 'b@new.example'",
      "former_email = 'b@old.example'",
      'secret_sha256 = sha256(secret_sha256)',
      "expires_at = '2037-01-01T00:00:00Z'",
    ])('never changes: %s', async (set) => {
      await ask();
      await expect(run(`update customer_addresses set ${set}`)).rejects.toMatchObject(never);
    });

    it('is confirmed or dropped once, and one waits at a time', async () => {
      await ask();
      await run('savepoint before');
      await expect(ask()).rejects.toMatchObject({ code: '23505' });
      await run('rollback to before');
      await run("update customer_addresses set state = 'dropped'");
      await ask();
      const again = run(
        "update customer_addresses set state = 'confirmed' where state = 'dropped'",
      );
      await expect(again).rejects.toMatchObject(never);
    });
  });

  it('an event of a customer is counted with the event, one at a time', async () => {
    const count = (by: number) =>
      run(`update customers set event_seq = event_seq + ${by} where client_id = $1 and id = $2`, [
        fixture.client.id,
        userId,
      ]);
    await run('savepoint before');
    await expect(count(2)).rejects.toMatchObject(illegal);
    await run('rollback to before');
    await count(1);
    await expect(run('set constraints all immediate')).rejects.toMatchObject(never);
  });
});
