// The merchant of one schedule: its rows, its ports, and its payments at the start.

import { createHash, createHmac } from 'node:crypto';
import type pg from 'pg';
import { idSource } from '../../service/src/domain/protocol/uuid-v7.ts';
import type { Caller, Ports, Vault } from '../../service/src/engine/ports.ts';
import { parseCardNotice } from '../../service/src/providers/card/notices.ts';
import {
  aClient,
  aGateway,
  aProduct,
  aToken,
  callerOf,
  portsFor,
  type TestToken,
} from '../../service/test/harness.ts';
import { CardVault } from '../kit/card-vault.ts';
import { gateVault } from '../kit/gate-ports.ts';
import { type BuyerSession, createSession, paySession } from '../kit/operations.ts';
import { ProviderAccount } from '../kit/provider-account.ts';
import { type Random, seeded } from '../kit/random.ts';
import { currentActor, type Process, type Scheduler } from '../kit/scheduler.ts';
import type { Chances } from './chances.ts';
import type { Fixture } from './fixture.ts';
import { GatedDatabase } from './gated-database.ts';
import { GatedProvider } from './gated-provider.ts';
import { Labels } from './labels.ts';
import type { VirtualTime } from './virtual-time.ts';

const noticeSecret = 'whsec_simulation';
const buyerId = '01900000-0000-7000-8000-00000000b0b0';

export type Purchase = {
  readonly label: string;
  readonly session: BuyerSession;
  readonly token: string;
  paymentId: string | null;
  intentId: string | null;
};

export type Cards = 'approved' | 'declined' | 'challenged' | 'refund fails' | 'refund pends';
const numbers: Readonly<Record<Cards, string>> = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002760003184',
  'refund fails': '4000000000005126',
  'refund pends': '4000000000007726',
};

export type Parts = {
  readonly fixture: Fixture;
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly chances: Chances;
  readonly time: VirtualTime;
};

export class Shop {
  readonly clientId: string;
  readonly gatewayId: string;
  readonly labels = new Labels();
  readonly database: GatedDatabase;
  readonly provider: GatedProvider;
  readonly account: ProviderAccount;
  readonly #cards = new CardVault();
  readonly #ports: Ports;
  readonly #portsOf = new WeakMap<Process, Ports>();
  readonly purchases: Purchase[] = [];
  /** True when a card of the schedule is challenged by its bank. */
  hasChallenge = false;
  readonly nowMs: () => number;
  readonly #random: Random;
  /** An owner's token: a request that moves money checks whether its credential is valid. */
  #token: TestToken | undefined;

  private constructor(parts: Parts, account: ProviderAccount, salt: string) {
    const { fixture, scheduler, chances, time } = parts;
    const { labels } = this;
    this.account = account;
    this.nowMs = () => time.nowMs();
    // Random numbers decide an outcome only as the length of a pause, which must come from the
    // seed. Everything else is an id or a secret, which no other run may have.
    this.#random = seeded(parts.seed ^ 0x5eed);
    let drawn = 0;
    const bytes = (size: number): Buffer => {
      if (size === 1) return Buffer.of(this.#random.whole(0, 255));
      drawn += 1;
      const digest = createHash('sha512').update(`${salt}:${drawn}`).digest();
      return digest.subarray(0, size);
    };
    const nextId = idSource(() => time.nowMs(), bytes);
    const newId = (): string => {
      const id = nextId();
      currentActor()?.ids.add(id);
      currentActor()?.process.ids.add(id);
      return id;
    };
    this.clientId = newId();
    this.gatewayId = newId();
    this.database = new GatedDatabase({ links: fixture.links, scheduler, chances, labels });
    const { transport } = fixture;
    const nowMs = this.nowMs;
    this.provider = new GatedProvider({ scheduler, chances, labels, account, transport, nowMs });
    this.#ports = portsFor(this.database, {
      provider: () => this.provider.provider,
      parseNotice: async (gateway, received) => parseCardNotice(gateway, received, time.nowMs()),
      vault: gateVault(this.#vault(), scheduler),
      sendWebhook: () => Promise.reject(new Error('no endpoint is subscribed')),
      // Only test keys are encrypted here.
      sealed: {
        seal: async (_, plain) => Buffer.from(plain),
        open: async (_, sealed) => sealed.toString(),
        rewrap: () => {
          throw new Error('no key is replaced here');
        },
      },
      newId,
      randomBytes: bytes,
    });
  }

  static async open(parts: Parts): Promise<Shop> {
    const { fixture, seed } = parts;
    const salt = `${seed}:${fixture.nextRun()}`;
    const account = await ProviderAccount.open(fixture.providerUrl, salt);
    const shop = new Shop(parts, account, salt);
    await aClient(shop.database, { id: shop.clientId });
    shop.#token = await aToken(shop.database, { id: shop.clientId });
    await aGateway(
      shop.database,
      { id: shop.clientId },
      {
        id: shop.gatewayId,
        accountId: account.accountId,
        publishableKey: account.publishableKey,
        secretKeySealed: Buffer.from(account.secretKey),
        noticeSecretSealed: Buffer.from(noticeSecret),
      },
    );
    await aProduct(shop.database, { id: shop.clientId }, { code: 'mug', prices: { EUR: 1990 } });
    return shop;
  }

  #vault(): Vault {
    return {
      ...this.#cards,
      look: async () => ({ state: 'ready', aheadMs: 0 }),
      formUrl: () => 'http://127.0.0.1/form',
      mount: () => ({
        formUrl: 'http://127.0.0.1/form',
        formOrigin: 'http://127.0.0.1',
        mountToken: 'svcm_simulated',
        expiresAt: new Date(0).toISOString(),
        fields: ['number', 'expiry', 'cvc'],
      }),
    };
  }

  /** The ports of the current process, whose caches and queues no other process sees. */
  get ports(): Ports {
    const process = currentActor()?.process;
    if (!process) return this.#ports;
    const known = this.#portsOf.get(process);
    if (known) return known;
    const { database } = this;
    const own: Ports = {
      ...this.#ports,
      database: {
        transaction: (client, work) => database.transaction(client, work),
        read: database.read,
        write: database.write,
        close: () => database.close(),
      },
    };
    this.#portsOf.set(process, own);
    return own;
  }

  caller(requestId: string): Caller {
    return callerOf(this.#token as TestToken, { requestId });
  }

  /** Creates a claimed session, and a card to pay it with. */
  async openSession(captureMethod: 'manual' | 'automatic', card: Cards): Promise<Purchase> {
    const products = [{ code: 'mug', quantity: 1 }];
    const session = await createSession(this.ports, buyerId, {
      ...{ clientId: this.clientId, captureMethod, currency: 'EUR', products },
    });
    if (card === 'challenged') this.hasChallenge = true;
    const label = this.labels.add('payment', session.id);
    const token = `tok_${session.id}`;
    this.#cards.keep(token, await this.account.makeCard(numbers[card]), numbers[card]);
    const purchase = { label, session, token, paymentId: null, intentId: null };
    this.purchases.push(purchase);
    return purchase;
  }

  process({ session, token }: Purchase): Promise<unknown> {
    const tokenizedData = { provider: 'cardprovider', type: 'card', token } as const;
    return paySession(this.ports, session, { tokenizedData });
  }

  /** Reads which payments and intents exist, and gives them names for the trace. */
  async learnNames(monitor: pg.Client): Promise<void> {
    const { rows } = await monitor.query<{ id: string; intent: string | null; session: string }>({
      name: 'payments_of_client',
      text: `select id, provider_intent_id as intent, session_id as session from payments
        where client_id = $1 and type = 'purchase' order by id`,
      values: [this.clientId],
    });
    for (const { id, intent, session } of rows) {
      const purchase = this.purchases.find((one) => one.session.id === session);
      if (!purchase) continue;
      purchase.paymentId = id;
      purchase.intentId = intent ?? purchase.intentId;
      this.labels.call(id, purchase.label);
      if (intent) this.labels.call(intent, purchase.label);
    }
  }

  /** Signs the body as the provider does. */
  sign(body: string): string {
    const seconds = Math.floor(this.nowMs() / 1000);
    const digest = createHmac('sha256', noticeSecret).update(`${seconds}.${body}`).digest('hex');
    return `t=${seconds},v1=${digest}`;
  }
}
