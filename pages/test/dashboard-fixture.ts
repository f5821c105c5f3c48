// The fixture of the dashboard's tests: that of the account with a whole merchant, whose payments the real
// sandbox and the real vault made.

import type { Payment } from '@svc/contract/payments/payments';
import { isFirefox, loseResponses } from '@svc/tools/firefox';
import { expect } from 'vitest';
import type { Ports, Role } from '../../service/src/engine/ports.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { newId, type TestDatabase } from '../../service/test/harness.ts';
import { aSession, pay, startWorld, type World } from '../../service/test/world.ts';
import { AccountTest, setUp, type TestPerson } from './account-fixture.ts';

type PurchaseOptions = {
  readonly card?: string;
  readonly currency?: string;
  readonly quantity?: number;
  readonly email?: string;
  readonly captureMethod?: 'automatic' | 'manual';
};

export class DashboardTest extends AccountTest {
  world!: World;
  /** Requests of the page to other origins. */
  foreign: string[] = [];

  protected override async startParts(): Promise<{ db: TestDatabase; given: Partial<Ports> }> {
    this.world = await startWorld();
    return { db: this.world, given: this.world.ports };
  }

  /** Makes one payment at the provider; each mug costs 19.90 EUR or 2500 JPY. */
  async payment(wish: PurchaseOptions = {}): Promise<Payment> {
    const { card, captureMethod = 'automatic', ...more } = wish;
    const session = await aSession(this.world, { captureMethod, ...more });
    const answer = await pay(this.world, session, card, wish.email).catch(() => null);
    const { sessionId } = session;
    if (answer && !('body' in answer)) throw new Error('a payment is answered');
    return this.payments(`sessionId=${sessionId}`).then(([made]) => made as Payment);
  }

  /** Returns the merchant's payments as its own server reads them. */
  async payments(query: string): Promise<Payment[]> {
    return (await this.ask<{ data: Payment[] }>(`/v1/payments?limit=100&${query}`)).data;
  }

  async ask<T>(path: string): Promise<T> {
    const { token } = this.world;
    const headers = { authorization: token.authorization };
    const response = await fetch(this.baseUrl + path, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }

  /** Captures as the merchant's own server does. */
  async capture({ id }: Payment): Promise<void> {
    const response = await fetch(`${this.baseUrl}/v1/payments/${id}/capture`, {
      method: 'PUT',
      headers: {
        authorization: this.world.token.authorization,
        'content-type': 'application/json',
        'idempotency-key': newId(),
      },
      body: '{}',
    });
    expect(response.status).toBe(200);
  }

  /** Makes a refund from a browser of that person. Returns the status of the response. */
  async refundAs(person: TestPerson, payment: Payment, body: object): Promise<number> {
    const { status } = await this.callAs(person, {
      method: 'POST',
      path: `/v1/payments/${payment.id}/refunds`,
      body,
      clientId: this.world.client.id,
      key: newId(),
    });
    return status;
  }

  /** What the provider has given back of the payment, in minor units: the judge of the tests. */
  async givenBack({ id }: Payment): Promise<number[]> {
    const stored = await findPayment(this.world.database, this.world.client.id, id);
    const ledger = await this.world.ledger(stored?.providerIntentId ?? '');
    return ledger.filter(({ kind }) => kind === 'refund').map(({ amount }) => amount);
  }

  /**
   * Calls of that address reach the service, and their answers never reach the page, while `isOn`. Returns
   * how many were lost.
   */
  async loseAnswers(address: string, isOn: () => boolean): Promise<() => number> {
    let lost = 0;
    if (isFirefox(this.page)) {
      const end = address.replace(/^\*\*/, '');
      await loseResponses(this.page, (url) => {
        const isLost = url.endsWith(end) && isOn();
        if (isLost) lost += 1;
        return isLost;
      });
      return () => lost;
    }
    await this.page.route(address, async (route) => {
      if (!isOn()) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    return () => lost;
  }

  async colleague(name: string, role: Role): Promise<TestPerson> {
    const made = await this.person({ name });
    await this.join(made, this.world.client, role);
    return made;
  }

  /** Opens a page of the merchant as a signed-in person sees it. */
  async visit(person: TestPerson, path = '', more: Parameters<AccountTest['openAs']>[1] = {}) {
    const page = await this.openAs(person, more);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:$/.test(url.protocol) && url.origin !== this.baseUrl)
        this.foreign.push(url.href);
    });
    await page.goto(this.at(path));
    return page;
  }

  at(path = ''): string {
    return `/dashboard/${this.world.client.id}${path}`;
  }

  dialog(name: string) {
    return this.page.getByRole('dialog', { name });
  }
}

export const dashboardTest = (): DashboardTest => setUp(new DashboardTest());
