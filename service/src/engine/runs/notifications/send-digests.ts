// The digest of each morning, at seven in the merchant's time zone. docs/decisions/dashboard.md.

import { roles } from '@svc/contract/rows/roles';
import { defaultChoice } from '@svc/contract/settings/notifications';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { keepNotifiedMember, type NotifiedMember } from '../../../storage/notifications/choices.ts';
import type { NotificationFact } from '../../../storage/notifications/facts.ts';
import {
  dropNotifications,
  findNotificationPlace,
  listDailyNotifications,
  listDueDigests,
  lockLastMail,
  type NotificationKey,
  type NotificationPlace,
  setLastMail,
  settleNotifications,
} from '../../../storage/notifications/notifications.ts';
import { readMovementSums } from '../../../storage/reports/activity.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';
import { type DayFigures, digestWords } from '../../steps/notifications/digest-words.ts';
import { choiceOf, stillApplies } from '../../steps/notifications/notification-rules.ts';
import { showFigures } from '../../steps/reports/show-figures.ts';
import { forEachKey, type NotificationPass, type NotificationPorts } from './notify-people.ts';

const step = 50;
const rolesByDefault = roles.filter((role) => defaultChoice(role, 'daily_digest') === 'daily');

/** Writes the digests that are due; returns how many people it looked after. */
export async function sendDigests(
  ports: NotificationPorts,
  pass: NotificationPass,
): Promise<number> {
  const due = await listDueDigests(ports.database, step, rolesByDefault);
  return forEachKey(due, pass, (key) => sendDigest(key, ports));
}

async function sendDigest(key: NotificationKey, ports: NotificationPorts): Promise<void> {
  const { clientId, userId, kind } = key;
  const place = await findNotificationPlace(ports.database, clientId);
  const figures = await readFigures(clientId, place, ports);
  await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const member = await keepNotifiedMember(tx, clientId, userId);
      if (!member || (await lockLastMail(tx, key)).isAfterMorning) return;
      const facts = await selectDigestFacts(tx, key, member);
      const shown = choiceOf(member, kind) === 'daily' ? figures : [];
      if (facts.length === 0 && shown.length === 0) return setLastMail(tx, key, null);
      const { baseUrl, mode } = ports.settings;
      const words = digestWords(facts, shown, { clientId, place, baseUrl, mode });
      const mail = { ...words, to: member.email, kind: 'notification_daily_digest', clientId };
      const mailId = await queueMail(tx, mail, ports);
      await settleNotifications(tx, key, { facts, mailId });
      await setLastMail(tx, key, mailId);
    }),
  );
}

/**
 * Returns the facts that wait for the digest. Deletes notifications that the person may not or does not want to
 * receive, and those that no longer hold.
 */
async function selectDigestFacts(
  tx: Tx,
  key: NotificationKey,
  member: NotifiedMember,
): Promise<NotificationFact[]> {
  const waiting = await listDailyNotifications(tx, key);
  const isWantedFact = (fact: NotificationFact) =>
    stillApplies(fact) && (choiceOf(member, fact.kind) ?? 'off') !== 'off';
  await dropNotifications(
    tx,
    key,
    waiting.filter((fact) => !isWantedFact(fact)),
  );
  return waiting.filter(isWantedFact);
}

async function readFigures(
  clientId: string,
  { dayFrom, dayTo }: NotificationPlace,
  { database }: NotificationPorts,
): Promise<DayFigures[]> {
  const sums = await readMovementSums(database, { clientId, from: dayFrom, to: dayTo });
  return sums.map(({ currency, ...own }) => ({ currency, ...showFigures(own, currency) }));
}
