// Wallet accounts by gateway, with shared sockets and certificates.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { makingOf, nameOfMaking } from '../../domain/protocol/marks.ts';
import type { Gateway, Notice, ReceivedNotice } from '../../engine/ports.ts';
import type { ProviderTrouble } from '../sending/provider-trouble.ts';
import { walletProvider } from './calls.ts';
import { openCertificates } from './certificates.ts';
import { readWalletNotice } from './notices.ts';
import type { WalletProvider } from './port.ts';
import { openTransport } from './transport.ts';
import type { WireSettings } from './wire.ts';

export type WalletSettings = Omit<WireSettings, 'making' | 'onTrouble'> & {
  readonly onTrouble: (gateway: Gateway, trouble: ProviderTrouble) => void;
  /** Base address of the wallet's API. */
  readonly walletUrl: string;
  readonly connections: number;
  readonly connectMs: number;
};

export type Wallets = {
  of(gateway: Gateway): WalletProvider;
  /** Returns a notice about the merchant's account when it is genuine. */
  readNotice(accountId: string, received: ReceivedNotice): Promise<Notice | null>;
  close(): Promise<void>;
};

const mostAccounts = 1000;

/** The hosts of the real provider's certificates; its API has another host. */
const certificateOrigins = ['https://api.paypal.com', 'https://api.sandbox.paypal.com'];

/** The publishable key of a wallet's gateway is the client id of its app, the secret key the app's secret. */
export function openWallets(settings: WalletSettings): Wallets {
  const { walletUrl, connections, connectMs, budgetMs, answerMs, resendMs, pauseMs, onTrouble } =
    settings;
  const transport = openTransport({ url: walletUrl, connections, connectMs });
  const certificates = openCertificates([transport.origin, ...certificateOrigins], connectMs);
  const url = new URL(walletUrl);
  const livemode = !isLoopbackHost(url.hostname) && !url.hostname.includes('sandbox');
  const accounts = new Map<string, WalletProvider>();
  return {
    of: (gateway) => {
      const by = makingOf(gateway);
      const key = `${gateway.id} ${gateway.secretKey} ${nameOfMaking(by.making)}`;
      const known = accounts.get(key);
      if (known) return known;
      if (accounts.size >= mostAccounts) accounts.clear();
      const made = walletProvider(
        {
          clientId: gateway.publishableKey,
          clientSecret: gateway.secretKey,
          accountId: gateway.accountId,
          livemode,
        },
        {
          ...{ transport, budgetMs, answerMs, resendMs, pauseMs },
          ...by,
          onTrouble: (trouble) => onTrouble(gateway, trouble),
        },
      );
      accounts.set(key, made);
      return made;
    },
    readNotice: (accountId, received) =>
      readWalletNotice({ accountId, livemode }, received, { certificates, nowMs: Date.now() }),
    close: async () => {
      await Promise.all([transport.close(), certificates.close()]);
    },
  };
}
