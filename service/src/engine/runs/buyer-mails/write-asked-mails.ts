// Writes the mail to the buyer that the caller requested together with a refund. Additions §2,
// Mails to buyers.

import { findClient } from '../../../storage/clients/clients.ts';
import { repeatWhenLost } from '../../../storage/database/database.ts';
import {
  type AskedMail,
  listAskedMails,
  takeAskedMail,
} from '../../../storage/notifications/asked-mails.ts';
import { findPaymentLocale } from '../../../storage/payments/buyer-locales.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { lockPaymentEmail } from '../../../storage/payments/receipts.ts';
import type { Ports } from '../../ports.ts';
import { showMerchant } from '../../steps/clients/show-client.ts';
import { mailBuyer } from '../../steps/receipts/mail-buyer.ts';
import { isUnderWay, refundMail } from '../../steps/receipts/tell-refund.ts';

type AskedMailPorts = Pick<Ports, 'database' | 'newId' | 'sealedHere' | 'settings'>;

const step = 100;

/** Writes the mails that were asked for; returns how many there were where more may be left. */
export async function writeAskedMails(
  ports: AskedMailPorts,
  { onError }: { readonly onError: (clientId: string, error: unknown) => void },
): Promise<number> {
  const asked = await listAskedMails(ports.database, step);
  let written = 0;
  for (const mail of asked) {
    try {
      await writeAskedMail(mail, ports);
      written++;
    } catch (error) {
      onError(mail.clientId, error);
    }
  }
  return asked.length === step ? written : 0;
}

/**
 * Mails the buyer that a refund is on its way: once, however often the request is repeated, and not
 * where the provider refused it or its outcome is unknown. Without an address on the payment no
 * mail is sent.
 */
async function writeAskedMail(asked: AskedMail, ports: AskedMailPorts): Promise<void> {
  const { clientId, refundId } = asked;
  const [refund, client, locale] = await Promise.all([
    findPayment(ports.database, clientId, refundId),
    findClient(ports.database, clientId),
    findPaymentLocale(ports.database, clientId, refundId),
  ]);
  const { mode } = ports.settings;
  await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      if (!(await takeAskedMail(tx, asked))) return;
      if (!refund || !client || !isUnderWay(refund)) return;
      const to = await lockPaymentEmail(tx, clientId, refundId);
      if (to === null) return;
      const words = refundMail(refund, { seller: showMerchant(client).name, mode, locale });
      await mailBuyer(
        tx,
        asked,
        { clientId, paymentId: refundId, kind: 'refund', to, words },
        ports,
      );
    }),
  );
}
