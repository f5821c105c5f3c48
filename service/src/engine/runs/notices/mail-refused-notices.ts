// The mail to the operator about gateways that have refused the provider's notices for ten minutes. It names
// no buyer.

import { everyClient, repeatWhenLost } from '../../../storage/database/database.ts';
import {
  type RefusingGateway,
  takeRefusingToMail,
} from '../../../storage/gateways/refused-notices.ts';
import type { Ports } from '../../ports.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';
import { describeRefusals } from '../../steps/notices/refused-notices.ts';

const mostGateways = 50;

/** Queues one mail about all gateways, once for each until a genuine notice arrives there. */
export async function mailRefusedNotices(
  ports: Pick<Ports, 'database' | 'settings' | 'newId' | 'sealedHere'>,
): Promise<number> {
  const { operatorEmail } = ports.settings;
  if (!operatorEmail) return 0;
  return repeatWhenLost(() =>
    ports.database.transaction(everyClient, async (tx) => {
      const gateways = await takeRefusingToMail(tx, mostGateways);
      if (gateways.length === 0) return 0;
      const mail = { to: operatorEmail, kind: 'refused_notices', clientId: null };
      await queueMail(tx, { ...mail, ...mailWords(gateways) }, ports);
      return gateways.length;
    }),
  );
}

const describe = (gateway: RefusingGateway): string => {
  const merchant = `${gateway.clientId} (${gateway.clientName.replace(/\p{Cc}/gu, ' ')})`;
  return `gateway ${gateway.id} of ${merchant}: ${describeRefusals(gateway)}`;
};

const mailWords = (gateways: readonly RefusingGateway[]) => ({
  subject: "Svc refuses the payment provider's notices",
  text: [
    ...gateways.map(describe),
    '',
    'Until they are accepted, payments are settled late, by the hourly comparison. Correct what is named, then',
    'run `svc gateways check`. `svc gateways list` shows the count, which a genuine notice clears.',
  ].join('\n'),
});
