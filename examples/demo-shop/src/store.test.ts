import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startShop } from '../test/running-shop.ts';
import { paymentId, type Stub, sessionId, startStub } from '../test/stub-service.ts';
import { Store } from './store.ts';

const orderId = '0199a1b2-0000-4000-8000-00000000000d';
const purchased = {
  id: 'evt_1',
  type: 'item.purchased',
  created: 1,
  data: { object: { paymentId, sessionId, amount: 19.9, currency: 'EUR' } },
};
let stub: Stub;
beforeAll(async () => {
  stub = await startStub();
});
afterAll(() => stub.stop());

describe('Store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  const file = join(folder, 'state.json');
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps orders, deliveries and taken events over a restart, for the owner alone', async () => {
    const first = await startShop({ file }, stub);
    await first.submit('/buy', { order: orderId, 'qty-mug': '1' });
    await first.deliver(purchased);
    await first.stop();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await startShop({ file }, stub);
    expect(await second.page('/orders')).toContain('Paid, packing');
    expect(await (await second.deliver(purchased)).json()).toMatchObject({ duplicate: true });
    await second.stop();
  });

  it('a delivery that could not be kept is answered 500, so it comes again', async () => {
    const gone = join(folder, 'gone');
    const broken = await startShop({ file: join(gone, 'state.json') }, stub);
    rmSync(gone, { recursive: true });
    expect((await broken.deliver(purchased)).status).toBe(500);
    await broken.stop();
  });

  it('refuses a file of another kind by name and leaves it as it is', () => {
    writeFileSync(file, '{"a":1}');
    expect(() => new Store(file)).toThrow(`${file} is no file of the demo shop`);
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}');
  });
});
