// Chooses the adapter for each provider.

import assert from 'node:assert';
import { cardProviderVersion } from '@svc/contract/vault/vault';
import type Stripe from 'stripe';
import { makingOf, nameOfMaking } from '../domain/protocol/marks.ts';
import type { Gateway, MethodKeeper, Ports, Provider, Urgency } from '../engine/ports.ts';
import { cardProvider } from './card/calls.ts';
import { checkAccount, openWebhook } from './card/check-account.ts';
import { parseCardNotice } from './card/notices.ts';
import { tryNotice } from './card/own-notice.ts';
import { openTransport, type Transport } from './card/transport.ts';
import { usualPatienceMs, type WireSettings } from './card/wire.ts';
import { Pacer, type PacerSettings } from './pacing/pacer.ts';
import type { ProviderTrouble } from './sending/provider-trouble.ts';
import { openWallets } from './wallet/connect.ts';
import type { WalletProvider } from './wallet/port.ts';
import { unaddressedKeeper, unaddressedWallet } from './wallet/unaddressed-wallet.ts';

export type ProviderSettings = Partial<Omit<WireSettings, 'making' | 'onTrouble' | 'pace'>> & {
  /** The pace towards the card provider; absent: calls leave as they come. */
  readonly pacer?: PacerSettings;
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
  readonly provider: Ports['provider'];
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
  of(gateway: Gateway, urgency?: Urgency): Account;
  readonly accounts: Omit<Ports['accounts'], 'tryNotice'>;
  warmUp(): Promise<void>;
  close(): Promise<void>;
};
type WholeSettings = Required<Omit<ProviderSettings, 'walletUrl' | 'pacer'>>;

const mostAccounts = 1000;

const wholeSettings = (settings: ProviderSettings): WholeSettings => ({
  cardUrl: settings.cardUrl,
  budgetMs: settings.budgetMs ?? 12_000,
  answerMs: settings.answerMs ?? 8000,
  resendMs: settings.resendMs ?? 3000,
  pauseMs: settings.pauseMs ?? 300,
  patienceMs: settings.patienceMs ?? usualPatienceMs,
  connections: settings.connections ?? 64,
  connectMs: settings.connectMs ?? 2000,
  onTrouble: settings.onTrouble ?? (() => undefined),
});

/** Opens the adapters by gateway. */
export function openProviders(settings: ProviderSettings): Providers {
  const whole = wholeSettings(settings);
  const { walletUrl } = settings;
  const cards = openCards(whole, settings.pacer);
  const wallets = walletUrl === undefined ? undefined : openWallets({ ...whole, walletUrl });
  const wallet = (gateway: Gateway): WalletProvider => {
    assert(gateway.provider === 'wallet' && wallets, "a wallet's gateway and address");
    return wallets.of(gateway);
  };
  return {
    provider: (gateway, urgency) => {
      if (gateway.provider !== 'wallet') return cards.of(gateway, urgency);
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
    accounts: { ...cards.accounts, tryNotice },
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

/** Tells the settings of one gateway from earlier ones of the same gateway. */
const nameOfAccount = (gateway: Gateway): string => {
  const { perSecond, endpointPerSecond } = gateway.pace ?? {};
  const maker = nameOfMaking(makingOf(gateway).making);
  return [gateway.id, gateway.secretKey, maker, perSecond, endpointPerSecond].join(' ');
};

function openCards(settings: WholeSettings, pacing: PacerSettings | undefined): Cards {
  const { cardUrl: _url, connections: _pool, connectMs: _connect, onTrouble, ...wire } = settings;
  const sdks = openSdks(settings);
  const accounts = new Map<string, Promise<Account>>();
  const pacer = pacing && new Pacer(pacing);
  const settingsOf = (gateway: Gateway): WireSettings => ({
    ...{ ...wire, ...makingOf(gateway) },
    ...(pacer ? { pace: pacer.of(gateway) } : {}),
  });

  const openAccount = async (gateway: Gateway, urgency?: Urgency): Promise<Account> => {
    const sdk = await sdks.of(gateway.secretKey);
    const told = { onTrouble: (trouble: ProviderTrouble) => onTrouble(gateway, trouble) };
    return cardProvider(sdk, { ...settingsOf(gateway), ...told }, urgency);
  };

  const accountOf = (gateway: Gateway, urgency?: Urgency): Promise<Account> => {
    const key = `${nameOfAccount(gateway)} ${pacer ? urgency : ''}`;
    let account = accounts.get(key);
    if (!account) {
      if (accounts.size >= mostAccounts) accounts.clear();
      account = openAccount(gateway, urgency);
      accounts.set(key, account);
    }
    return account;
  };

  return {
    of: (gateway, urgency) => ({
      authorize: async (call) => (await accountOf(gateway, urgency)).authorize(call),
      capture: async (call) => (await accountOf(gateway, urgency)).capture(call),
      cancel: async (call) => (await accountOf(gateway, urgency)).cancel(call),
      retrieve: async (intentId) => (await accountOf(gateway, urgency)).retrieve(intentId),
      refund: async (call) => (await accountOf(gateway, urgency)).refund(call),
      retrieveRefund: async (id) => (await accountOf(gateway, urgency)).retrieveRefund(id),
      listRefunds: async (intentId) => (await accountOf(gateway, urgency)).listRefunds(intentId),
      retrieveDispute: async (id) => (await accountOf(gateway, urgency)).retrieveDispute(id),
      listDisputes: async (intentId) => (await accountOf(gateway, urgency)).listDisputes(intentId),
      retrieveSignal: async (...of) => (await accountOf(gateway, urgency)).retrieveSignal(...of),
      listNotices: async (span) => (await accountOf(gateway, urgency)).listNotices(span),
      retrieveMarked: async (id) => (await accountOf(gateway, urgency)).retrieveMarked(id),
      countDeclines: async (intentId) =>
        (await accountOf(gateway, urgency)).countDeclines(intentId),
      listMarked: async (span) => (await accountOf(gateway, urgency)).listMarked(span),
      createCustomer: async (call) => (await accountOf(gateway, urgency)).createCustomer(call),
      setUp: async (call) => (await accountOf(gateway, urgency)).setUp(call),
      retrieveSetup: async (id) => (await accountOf(gateway, urgency)).retrieveSetup(id),
      countSetupDeclines: async (id) => (await accountOf(gateway, urgency)).countSetupDeclines(id),
      listMethods: async (id) => (await accountOf(gateway, urgency)).listMethods(id),
      cancelSetup: async (call) => (await accountOf(gateway, urgency)).cancelSetup(call),
      retrieveCustomer: async (id) => (await accountOf(gateway, urgency)).retrieveCustomer(id),
      retrieveMethod: async (id) => (await accountOf(gateway, urgency)).retrieveMethod(id),
      setDefaultMethod: async (call) => (await accountOf(gateway, urgency)).setDefaultMethod(call),
      detachMethod: async (call) => (await accountOf(gateway, urgency)).detachMethod(call),
    }),
    accounts: {
      check: async (wish) => {
        const { secretKey, publishableKey } = wish.gateway;
        const [secret, publishable] = [await sdks.of(secretKey), await sdks.of(publishableKey)];
        return checkAccount({ secret, publishable, settings: settingsOf(wish.gateway) }, wish);
      },
      openWebhook: async (gateway, noticeUrl) =>
        openWebhook(await sdks.of(gateway.secretKey), settingsOf(gateway), noticeUrl),
    },
    warmUp: async () => void (await sdks.load()),
    close: async () => {
      pacer?.close();
      await sdks.close();
    },
  };
}
