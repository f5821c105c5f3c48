// svc customers over a real database.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { aSavedCard, vouchedSession } from '../../../test/customers/saved-cards.ts';
import {
  aSetupSession,
  expectSaved,
  methodsOf,
  submitCard,
} from '../../../test/customers/setups.ts';
import { aCustomer, newId } from '../../../test/harness.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { findCustomer } from '../../storage/customers/customers.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const forget = (customer: string, ...more: string[]) =>
  runOn(world.ports, [
    ...['customers', 'forget', '--client', world.client.id, '--customer', customer],
    ...more,
  ]);
const read = (id: string) => findCustomer(world.database, world.client.id, id);

describe('svc customers forget', () => {
  it('counts by table, and changes nothing without --yes; with it the customer is forgotten', async () => {
    const { id, email } = await aCustomer(world.database, world.client);
    await aSavedCard(world, { userId: id });
    const counted = await forget(id);
    expect(counted).toMatchObject({ code: 0, err: '' });
    expect(counted.out).toMatch(/^customers +1 +name, email/m);
    expect(counted.out).toMatch(/^events +1 +email/m);
    expect(counted.out).toMatch(/^saved cards to remove: 1$/m);
    expect(counted.out).toMatch(/^delete at the provider yourself: customer cus_\S+$/m);
    expect(counted.out).toMatch(/^nothing was changed; add --yes/m);
    expect(await read(id)).toMatchObject({ email, forgottenAt: null });
    const done = await forget(id, '--yes');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(`customer ${id} is forgotten\n`);
    expect(await read(id)).toMatchObject({ email: '', forgottenAt: expect.any(Date) });
    expect((await forget(id, '--yes')).out).toMatch(
      /nothing was written down since: nothing to do\n$/,
    );
  });

  it('a card that a set-up saved is counted before it is removed, and removed', async () => {
    const session = await aSetupSession(world);
    await submitCard(world, session);
    await expectSaved(world, session);
    const counted = await forget(session.userId);
    expect(counted).toMatchObject({ code: 0, err: '' });
    expect(counted.out).toMatch(/^saved cards to remove: 1$/m);
    expect(counted.out).toMatch(/^card_setups +1 /m);
    expect(await forget(session.userId, '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await methodsOf(world, session)).toMatchObject([{ status: 'removed', last_four: null }]);
  });

  it('names other customers of the address', async () => {
    const { id, email } = await aCustomer(world.database, world.client);
    const twin = await aCustomer(world.database, world.client, { email });
    for (const more of [[], ['--yes']]) {
      const { code, out } = await forget(id, ...more);
      expect({ code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining(
          `same address, not forgotten with this one: customer ${twin.id}\n`,
        ),
      });
    }
  });

  it('says what is open, and exits with 1', async () => {
    const { userId, sessionId } = await vouchedSession(world);
    const { code, out, err } = await forget(userId, '--yes');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^checkout_session +${sessionId} +open$`, 'm'));
    expect(err).toContain('not forgotten');
    expect(await read(userId)).toMatchObject({ forgottenAt: null });
  });

  it('exits with 1 for nobody, and with 2 without the ids', async () => {
    expect(await forget(newId())).toMatchObject({
      code: 1,
      err: expect.stringContaining('no customer'),
    });
    expect(await runOn(world.ports, ['customers', 'forget'])).toMatchObject({ code: 2 });
    expect(await forget('jo@example.test')).toMatchObject({ code: 2 });
  });
});
