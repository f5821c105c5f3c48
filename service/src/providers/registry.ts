// Chooses the adapter for each provider.

import assert from 'node:assert';
import { cardProviderVersion } from '@svc/contract/vault/vault';
import type Stripe from 'stripe';
import type { Gateway, MethodKeeper, Ports, Provider } from '../engine/ports.ts';
import { cardProvider } from './card/calls.ts';
import { checkAccount, openWebhook } from './card/check-account.ts';
import { parseCardNotice } from './card/notices.ts';
import { openTransport, type Transport } from './card/transport.ts';
import type { WireSettings } from './card/wire.ts';
import type { ProviderTrouble } from './sending/provider-trouble.ts';
import { openWallets } from './wallet/connect.ts';
import type { WalletProvider } from './wallet/port.ts';
import { unaddressedKeeper, unaddressedWallet } from './wallet/unaddressed-wallet.ts';

export type ProviderSettings = Partial<Omit<WireSettings, 'onTrouble'>> & {
  /** Called with each refusal and failure of a call, with the gateway as the call had it. */
  readonly onTrouble?: (gateway: Gateway, trouble: ProviderTrouble) => void;
  /** Base address of the card provider's API. */
  readonly cardUrl: string;
  /** Base address of the wallet's API; when absent, there are no wallets. */
  readonly walletUrl?: string;
  readonly connections?: number;
  readonly connectMs?: number;
};

export type Providers = {
  provider(gateway: Gateway): Provider;
  methodKeeper(gateway: Gateway): MethodKeeper;
  /** Returns the calls that only a wallet has, for a gateway of a wallet. */
  wallet(gateway: Gateway): WalletProvider;
  readonly prepareOrder: Ports['prepareOrder'];
  readonly accounts: Ports['accounts'];
  /** Uses the machine's time, because notices come from outside. */
  readonly parseNotice: Ports['parseNotice'];
  /** Loads what the first call would otherwise wait for. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
};

type Account = Provider & MethodKeeper;
type Cards = {
  of(gateway: Gateway): Account;
  readonly accounts: Ports['accounts'];
  warmUp(): Promise<void>;
  close(): Promise<void>;
};
type WholeSettings = Required<Omit<ProviderSettings, 'walletUrl'>>;

const mostAccounts = 1000;

const wholeSettings = (settings: ProviderSettings): WholeSettings => ({
  cardUrl: settings.cardUrl,
  budgetMs: settings.budgetMs ?? 12_000,
  answerMs: settings.answerMs ?? 8000,
  resendMs: settings.resendMs ?? 3000,
  pauseMs: settings.pauseMs ?? 300,
  connections: settings.connections ?? 64,
  connectMs: settings.connectMs ?? 2000,
  onTrouble: settings.onTrouble ?? (() => undefined),
});

/** Opens the adapters by gateway. */
export function openProviders(settings: ProviderSettings): Providers {
  const whole = wholeSettings(settings);
  const { walletUrl } = settings;
  const cards = openCards(whole);
  const wallets = walletUrl === undefined ? undefined : openWallets({ ...whole, walletUrl });
  const wallet = (gateway: Gateway): WalletProvider => {
    assert(gateway.provider === 'wallet' && wallets, "a wallet's gateway and address");
    return wallets.of(gateway);
  };
  return {
    provider: (gateway) => {
      if (gateway.provider !== 'wallet') return cards.of(gateway);
      return wallets ? wallets.of(gateway) : unaddressedWallet;
    },
    methodKeeper: (gateway) => {
      if (gateway.provider !== 'wallet') return cards.of(gateway);
      return wallets ? wallets.of(gateway) : unaddressedKeeper;
    },
    wallet,
    prepareOrder: async (gateway, call) => wallets?.of(gateway).prepareOrder(call) ?? null,
    parseNotice: async ({ provider, accountId }, received) => {
      if (provider === 'cardprovider') return parseCardNotice({ accountId }, received, Date.now());
      const notice = await wallets?.readNotice(accountId, received);
      return notice ?? 'not_understood';
    },
    accounts: cards.accounts,
    warmUp: cards.warmUp,
    close: async () => {
      await Promise.all([cards.close(), wallets?.close()]);
    },
  };
}

type Sdks = {
  of(key: string): Promise<Stripe>;
  load(): Promise<unknown>;
  close(): Promise<void>;
};

/** SDK clients of the provider over one pool of sockets. The SDK is loaded at the first call. */
function openSdks({ cardUrl, connections, connectMs }: WholeSettings): Sdks {
  const url = new URL(cardUrl);
  let transport: Transport | undefined;
  const load = async () => (await import('stripe')).default;
  return {
    load,
    of: async (key) => {
      const Sdk = await load();
      transport ??= openTransport({ origin: url.origin, connections, connectMs });
      return new Sdk(key, {
        host: url.hostname,
        port: url.port || (url.protocol === 'https:' ? '443' : '80'),
        protocol: url.protocol === 'https:' ? 'https' : 'http',
        httpClient: transport.client,
        maxNetworkRetries: 0,
        // The SDK's type admits only the version that it was made for.
        apiVersion: cardProviderVersion,
        telemetry: false,
      });
    },
    close: async () => transport?.close(),
  };
}

function openCards(settings: WholeSettings): Cards {
  const { cardUrl: _url, connections: _pool, connectMs: _connect, onTrouble, ...wire } = settings;
  const sdks = openSdks(settings);
  const accounts = new Map<string, Promise<Account>>();

  const openAccount = async (gateway: Gateway): Promise<Account> =>
    cardProvider(await sdks.of(gateway.secretKey), {
      ...wire,
      onTrouble: (trouble) => onTrouble(gateway, trouble),
    });

  const accountOf = (gateway: Gateway): Promise<Account> => {
    const key = `${gateway.id} ${gateway.secretKey}`;
    let account = accounts.get(key);
    if (!account) {
      if (accounts.size >= mostAccounts) accounts.clear();
      account = openAccount(gateway);
      accounts.set(key, account);
    }
    return account;
  };

  return {
    of: (gateway) => ({
      authorize: async (call) => (await accountOf(gateway)).authorize(call),
      capture: async (call) => (await accountOf(gateway)).capture(call),
      cancel: async (call) => (await accountOf(gateway)).cancel(call),
      retrieve: async (intentId) => (await accountOf(gateway)).retrieve(intentId),
      refund: async (call) => (await accountOf(gateway)).refund(call),
      retrieveRefund: async (id) => (await accountOf(gateway)).retrieveRefund(id),
      listRefunds: async (intentId) => (await accountOf(gateway)).listRefunds(intentId),
      retrieveDispute: async (id) => (await accountOf(gateway)).retrieveDispute(id),
      listDisputes: async (intentId) => (await accountOf(gateway)).listDisputes(intentId),
      listNotices: async (span) => (await accountOf(gateway)).listNotices(span),
      retrieveMarked: async (id) => (await accountOf(gateway)).retrieveMarked(id),
      countDeclines: async (intentId) => (await accountOf(gateway)).countDeclines(intentId),
      listMarked: async (span) => (await accountOf(gateway)).listMarked(span),
      createCustomer: async (call) => (await accountOf(gateway)).createCustomer(call),
      setUp: async (call) => (await accountOf(gateway)).setUp(call),
      retrieveSetup: async (id) => (await accountOf(gateway)).retrieveSetup(id),
      countSetupDeclines: async (id) => (await accountOf(gateway)).countSetupDeclines(id),
      listMethods: async (id) => (await accountOf(gateway)).listMethods(id),
      cancelSetup: async (call) => (await accountOf(gateway)).cancelSetup(call),
      retrieveCustomer: async (id) => (await accountOf(gateway)).retrieveCustomer(id),
      retrieveMethod: async (id) => (await accountOf(gateway)).retrieveMethod(id),
      setDefaultMethod: async (call) => (await accountOf(gateway)).setDefaultMethod(call),
      detachMethod: async (call) => (await accountOf(gateway)).detachMethod(call),
    }),
    accounts: {
      check: async (wish) => {
        const { secretKey, publishableKey } = wish.gateway;
        const [secret, publishable] = [await sdks.of(secretKey), await sdks.of(publishableKey)];
        return checkAccount({ secret, publishable, settings: wire }, wish);
      },
      openWebhook: async (gateway, noticeUrl) =>
        openWebhook(await sdks.of(gateway.secretKey), wire, noticeUrl),
    },
    warmUp: async () => void (await sdks.load()),
    close: sdks.close,
  };
}
