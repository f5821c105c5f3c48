// Gateways of the card provider as the operator tries them: before keys are stored, and any time after.

import { findGateway, openSecretKey } from '../../../storage/gateways/gateways.ts';
import { clearKeyRefused, type GatewayView } from '../../../storage/gateways/operator-gateways.ts';
import type { AccountCheck, Gateway, Ports } from '../../ports.ts';
import { changeGateway, gatewayOf, type MadeGateway, noticeUrl } from './gateways.ts';

/** As it stands in the database now, with its secret key in clear. */
async function openStored({ clientId, id }: GatewayView, ports: Ports): Promise<Gateway> {
  const record = await findGateway(ports.database, clientId, id);
  if (!record) throw new Error(`gateway ${id} is missing`);
  const { provider, accountId, publishableKey } = record;
  const secretKey = await openSecretKey(ports.sealed, record);
  return { id, clientId, provider, accountId, publishableKey, secretKey };
}

/** The secret key that is stored, for an account of which only other facts change. */
export const storedKey = async (view: GatewayView, ports: Ports): Promise<string> =>
  (await openStored(view, ports)).secretKey;

/** Tries what is stored; a check that passes forgets that the key was ever refused. */
export async function checkGateway(
  view: GatewayView,
  ports: Ports,
): Promise<readonly AccountCheck[]> {
  const checks = await ports.accounts.check({
    gateway: await openStored(view, ports),
    mode: ports.settings.mode,
    noticeUrl: noticeUrl(view.id, ports),
    hasNoticeSecret: view.hasNoticeSecret,
  });
  const isWell = checks.every(({ verdict }) => verdict !== 'wrong');
  if (isWell) await clearKeyRefused(ports.database, view.id);
  return checks;
}

/** Tries keys that are not stored yet. */
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

/** Makes the webhook at the provider and stores its secret; answers what hindered it. */
export async function makeWebhook(made: MadeGateway, ports: Ports): Promise<string | undefined> {
  const view = await gatewayOf(made.id, ports);
  if (!view) return 'the gateway is gone';
  if (view.provider !== 'cardprovider') return 'a webhook is made for the card provider alone';
  const opened = await ports.accounts.openWebhook(await openStored(view, ports), made.noticeUrl);
  if (opened.kind === 'refused') return opened.said;
  await changeGateway({ id: made.id, keys: { noticeSecret: opened.secret } }, ports);
  return undefined;
}
