// The digest of each morning, at seven in the merchant's time zone. docs/decisions/dashboard.md.

import { roles } from '@svc/contract/rows/roles';
import { defaultChoice } from '@svc/contract/settings/notifications';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { keepNotifiedMember, type NotifiedMember } from '../../../storage/notifications/choices.ts';
import type { NoticeFact } from '../../../storage/notifications/facts.ts';
import {
  dropNotices,
  findNoticePlace,
  listDailyNotices,
  listDueDigests,
  lockLastMail,
  type NoticeKey,
  type NoticePlace,
  setLastMail,
  settleNotices,
} from '../../../storage/notifications/notices.ts';
import { readMovementSums } from '../../../storage/reports/activity.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';
import { type DayFigures, digestWords } from '../../steps/notifications/digest-words.ts';
import { choiceOf, stillApplies } from '../../steps/notifications/notice-rules.ts';
import { showFigures } from '../../steps/reports/show-figures.ts';
import { forEachKey, type NoticePass, type NoticePorts } from './notify-people.ts';

const step = 50;
const rolesByDefault = roles.filter((role) => defaultChoice(role, 'daily_digest') === 'daily');

/** Writes the digests that are due; returns how many people it looked after. */
export async function sendDigests(ports: NoticePorts, pass: NoticePass): Promise<number> {
  const due = await listDueDigests(ports.database, step, rolesByDefault);
  return forEachKey(due, pass, (key) => sendDigest(key, ports));
}

async function sendDigest(key: NoticeKey, ports: NoticePorts): Promise<void> {
  const { clientId, userId, kind } = key;
  const place = await findNoticePlace(ports.database, clientId);
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
      const mail = { ...words, to: member.email, kind: 'notice_daily_digest', clientId };
      const mailId = await queueMail(tx, mail, ports);
      await settleNotices(tx, key, { facts, mailId });
      await setLastMail(tx, key, mailId);
    }),
  );
}

/**
 * Returns the facts that wait for the digest. Deletes notices that the person may not or does not want to
 * receive, and those that no longer hold.
 */
async function selectDigestFacts(
  tx: Tx,
  key: NoticeKey,
  member: NotifiedMember,
): Promise<NoticeFact[]> {
  const waiting = await listDailyNotices(tx, key);
  const isWantedFact = (fact: NoticeFact) =>
    stillApplies(fact) && (choiceOf(member, fact.kind) ?? 'off') !== 'off';
  await dropNotices(
    tx,
    key,
    waiting.filter((fact) => !isWantedFact(fact)),
  );
  return waiting.filter(isWantedFact);
}

async function readFigures(
  clientId: string,
  { dayFrom, dayTo }: NoticePlace,
  { database }: NoticePorts,
): Promise<DayFigures[]> {
  const sums = await readMovementSums(database, { clientId, from: dayFrom, to: dayTo });
  return sums.map(({ currency, ...own }) => ({ currency, ...showFigures(own, currency) }));
}
