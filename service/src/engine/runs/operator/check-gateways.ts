// Checks gateways of the card provider for the operator: before keys are stored, and at any time after.

import {
  findGateway,
  openNoticeSecret,
  openSecretKey,
} from '../../../storage/gateways/gateways.ts';
import {
  clearKeyRefused,
  type GatewayView,
  saveKeyRefused,
} from '../../../storage/gateways/operator-gateways.ts';
import type { AccountCheck, Gateway, Ports } from '../../ports.ts';
import { judgeRefusals } from '../../steps/notices/refused-notices.ts';
import { changeGateway, gatewayOf, type MadeGateway, noticeUrl } from './gateways.ts';

/** The gateway as the database has it now, with its secret key decrypted. */
export async function openStored({ clientId, id }: GatewayView, ports: Ports): Promise<Gateway> {
  const record = await findGateway(ports.database, clientId, id);
  if (!record) throw new Error(`gateway ${id} is missing`);
  const { provider, accountId, publishableKey, pace } = record;
  const secretKey = await openSecretKey(ports.sealed, record);
  return { id, clientId, provider, accountId, publishableKey, secretKey, pace };
}

/** Returns the stored secret key, for an account of which only other fields change. */
export const storedKey = async (view: GatewayView, ports: Ports): Promise<string> =>
  (await openStored(view, ports)).secretKey;

/**
 * Checks the stored keys. A key that the provider refuses is marked, as a payment would mark it; when nothing is
 * wrong, the mark is cleared.
 */
export async function checkGateway(
  view: GatewayView,
  ports: Ports,
): Promise<readonly AccountCheck[]> {
  const gateway = await openStored(view, ports);
  const checks = await ports.accounts.check({
    gateway,
    mode: ports.settings.mode,
    noticeUrl: noticeUrl(view.id, ports),
    hasNoticeSecret: view.hasNoticeSecret,
  });
  const tried = await tryNotices(view, ports);
  const isWell = checks.every(({ verdict }) => verdict !== 'wrong');
  const refusal = checks.find(({ keyRefusal }) => keyRefusal)?.keyRefusal;
  if (refusal) await markKeyRefused(gateway, refusal, ports);
  if (isWell) await clearKeyRefused(ports.database, view.id);
  return [...checks, ...tried];
}

/** Marks the key as refused, unless the operator has stored another one meanwhile. */
async function markKeyRefused(
  { id, clientId, secretKey }: Gateway,
  refusal: NonNullable<AccountCheck['keyRefusal']>,
  { database, sealed }: Ports,
): Promise<void> {
  const record = await findGateway(database, clientId, id);
  if (!record || (await openSecretKey(sealed, record)) !== secretKey) return;
  const { secretKeySealed } = record;
  await saveKeyRefused(database, id, { ...refusal, secretKeySealed });
}

/**
 * Sends a notice of our own to the gateway's public address, and tells what the gateway has refused: only
 * the provider's own notices show that it signs with the stored secret.
 */
async function tryNotices(view: GatewayView, ports: Ports): Promise<AccountCheck[]> {
  const record = await findGateway(ports.database, view.clientId, view.id);
  const secret = record && (await openNoticeSecret(ports.sealed, record));
  const refused = () =>
    gatewayOf(view.id, ports).then((now) => judgeRefusals(now?.noticesRefused ?? null));
  if (!secret) return refused();
  const own = { noticeUrl: noticeUrl(view.id, ports), secret, isLive: view.isLive };
  return [await ports.accounts.tryNotice({ ...own, id: ports.newId() }), ...(await refused())];
}

/** Checks keys that are not stored yet. */
export const checkKeys = (
  { clientId, ...keys }: Omit<Gateway, 'id'>,
  ports: Ports,
): Promise<readonly AccountCheck[]> =>
  ports.accounts.check({
    gateway: { id: ports.newId(), clientId, ...keys },
    mode: ports.settings.mode,
    noticeUrl: null,
    hasNoticeSecret: false,
  });

/** Creates the webhook at the provider and stores its secret; returns the reason when that failed. */
export async function makeWebhook(made: MadeGateway, ports: Ports): Promise<string | undefined> {
  const view = await gatewayOf(made.id, ports);
  if (!view) return 'the gateway is gone';
  if (view.provider !== 'cardprovider') return 'a webhook is made for the card provider alone';
  const opened = await ports.accounts.openWebhook(await openStored(view, ports), made.noticeUrl);
  if (opened.kind === 'refused') return opened.said;
  await changeGateway({ id: made.id, keys: { noticeSecret: opened.secret } }, ports);
  return undefined;
}
