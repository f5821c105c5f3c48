// Opens all ports, which are the ways out of the process, from the configuration.

import { randomBytes as draw } from 'node:crypto';
import { readDatabaseHosts } from '@svc/contract/servers/database-hosts';
import { publishedPace } from '../domain/protocol/provider-pace.ts';
import { pooled } from '../domain/protocol/random-pool.ts';
import { idSource } from '../domain/protocol/uuid-v7.ts';
import { isTesterUrl } from '../domain/protocol/webhook-tester.ts';
import { guardPorts } from '../engine/guard-ports.ts';
import type { PaceWish, Ports } from '../engine/ports.ts';
import { certificateEnd } from '../providers/certificate-end.ts';
import { openMail } from '../providers/mail.ts';
import { openProviders } from '../providers/registry.ts';
import { openSandboxControl } from '../providers/sandbox-control.ts';
import { openVault } from '../providers/vault.ts';
import { type OpenDatabase, openDatabase } from '../storage/database/database.ts';
import { openInstallationSecrets } from '../storage/database/installation-secrets.ts';
import { openSealed } from '../storage/database/sealed.ts';
import { takePaceShare } from '../storage/gateways/provider-pace.ts';
import { webhookUrlJudge } from '../webhooks/judge-url.ts';
import { ownAddresses } from '../webhooks/own-addresses.ts';
import { webhookSender } from '../webhooks/send.ts';
import type { Config } from './config.ts';
import { providerHoldups } from './provider-holdups.ts';
import { providerTroubles } from './provider-troubles.ts';

export type OpenPorts = {
  readonly ports: Ports;
  readonly connections: OpenDatabase['connections'];
  /** Loads the provider's SDK. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the ports; nothing is connected before it is used. */
export function openPorts(
  config: Config,
  nudge: Ports['nudge'],
  log?: Parameters<typeof providerTroubles>[0]['log'],
): OpenPorts {
  const { isLive, baseUrl, checkoutUrl, leaseMs } = config;
  const { databaseUrl: url, databaseReadUrl: readUrl, poolSize } = config;
  const database = openDatabase({ url, readUrl, poolSize });
  const randomBytes = pooled(draw);
  const { providerUrl: cardUrl, walletUrl } = config;
  const formerKeks = config.formerKeys ?? [];
  const sealed = openSealed({ database, kek: config.key, formerKeks, randomBytes });
  const newId = idSource(Date.now, draw);
  const pacer = {
    takeShare: (wish: PaceWish) => takePaceShare(database, wish),
    limits: publishedPace(isLive),
    ...(log ? { onHoldup: providerHoldups({ database, processId: newId(), log }) } : {}),
  };
  const providers = openProviders({
    cardUrl,
    ...(walletUrl ? { walletUrl } : {}),
    ...(config.limits ? { pacer } : {}),
    ...(log ? { onTrouble: providerTroubles({ database, sealed, log }) } : {}),
  });
  const vault = openVault({
    formOrigin: config.vaultOrigin,
    internalUrl: config.vaultInternalUrl,
    sharedKey: config.vaultSharedKey,
    mode: config.mode,
    checkoutOrigin: new URL(checkoutUrl).origin,
  });
  const webhooks = webhookRules(config);
  const ports: Ports = guardPorts({
    database,
    ...{ report: database.report, standby: database.standby },
    settings: {
      baseUrl,
      checkoutUrl,
      mode: config.mode,
      isLive,
      leaseMs,
      attemptLimits: config.limits,
      formOrigin: config.vaultOrigin,
      operatorEmail: config.operatorEmail,
      keepDays: config.keepDays,
    },
    provider: providers.provider,
    methodKeeper: providers.methodKeeper,
    prepareOrder: providers.prepareOrder,
    parseNotice: providers.parseNotice,
    accounts: providers.accounts,
    vault,
    sendWebhook: webhookSender(webhooks),
    judgeWebhookUrl: webhookUrlJudge(webhooks),
    certificateEnd,
    sendAlert: alertSender(config),
    mail: config.mail && openMail(config.mail),
    sandbox: config.mode === 'sandbox' ? openSandboxControl(config.providerUrl) : null,
    sealed,
    sealedHere: openInstallationSecrets({ kek: config.key, formerKeks, randomBytes }),
    newId,
    randomBytes,
    phoneTime: async () => new Date(),
    nudge,
  });
  return {
    ports,
    connections: database.connections,
    warmUp: providers.warmUp,
    close: () => Promise.all([providers.close(), vault.close()]).then(database.close),
  };
}

const webhookRules = (config: Config) => ({
  allow: config.webhookAllow,
  isOwn: ownAddresses(config.port, ownUrls(config)),
  // The only URL of the service itself that may receive deliveries; it identifies its callers by
  // a secret in the path.
  ...(config.isLive ? {} : { ownReceiver: (url: string) => isTesterUrl(url, config.baseUrl) }),
});

/** The operator's own receiver may stand in any network. */
function alertSender({ alertUrl: url, alertSecret }: Config): Ports['sendAlert'] {
  if (url === null || alertSecret === null) return null;
  const send = webhookSender({ allow: ['0.0.0.0/0', '::/0'] });
  return ({ id, body }) =>
    send({ url, body, eventId: id, secrets: [alertSecret], now: new Date() });
}

/** Returns the URLs that the service itself uses: deliveries never go there. */
const ownUrls = (config: Config): string[] =>
  [
    ...[config.databaseUrl, config.databaseOwnerUrl, config.databaseReadUrl].flatMap(
      (address) => (address && readDatabaseHosts(address)?.addresses) || [],
    ),
    config.vaultOrigin,
    config.vaultInternalUrl,
    config.providerUrl,
    config.walletUrl,
    config.mail?.url ?? null,
  ].filter((url) => url !== null);
