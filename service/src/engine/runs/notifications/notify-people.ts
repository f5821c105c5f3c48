// Mails to a merchant's people about what happened: facts become notifications of persons, and these become mails.
// Each step is a transaction of its own, and a step that was killed is done again by the next pass.
// docs/decisions/dashboard.md.

import { readClock } from '../../../storage/database/clock.ts';
import { everyClient, repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  keepNotifiedMember,
  listNotifiedMembers,
  type NotifiedMember,
} from '../../../storage/notifications/choices.ts';
import {
  findTimedFacts,
  lockUnspreadFacts,
  markFactsSpread,
  type NotificationFact,
} from '../../../storage/notifications/facts.ts';
import {
  dropNotifications,
  findNotificationPlace,
  insertNotification,
  listDueNotifications,
  listNotificationsOfMail,
  listWaitingNotifications,
  lockLastMail,
  type NotificationKey,
  type NotificationPlace,
  postponeNotifications,
  setLastMail,
  settleNotifications,
} from '../../../storage/notifications/notifications.ts';
import type { Ports } from '../../ports.ts';
import { queueMail, requeueMail } from '../../steps/mails/queue-mail.ts';
import {
  choiceOf,
  concernsMember,
  stillApplies,
} from '../../steps/notifications/notification-rules.ts';
import { notificationWords } from '../../steps/notifications/notification-words.ts';

export type NotificationPorts = Pick<Ports, 'database' | 'newId' | 'sealedHere' | 'settings'>;

const step = 50;
/** Disputes arrive in bursts: a mail waits this long and then lists all of them. */
const gatheringMs = 5 * 60_000;
/** Older facts are skipped, for example after a long downtime. */
const tooOldMs = 48 * 3_600_000;

export type NotificationPass = { readonly onError: (key: NotificationKey, error: unknown) => void };

/** Makes one pass; returns how much it did. */
export async function notifyPeople(
  ports: NotificationPorts,
  pass: NotificationPass,
): Promise<number> {
  const found = await findTimedFacts(ports.database);
  const facts = await makeNotifications(ports);
  const due = await listDueNotifications(ports.database, step);
  const gathered = await forEachKey(due, pass, (key) => gatherMail(key, ports));
  return found + facts + gathered;
}

/** An error for one person does not stop the mails to the others. */
export async function forEachKey(
  keys: readonly NotificationKey[],
  { onError }: NotificationPass,
  work: (key: NotificationKey) => Promise<void>,
): Promise<number> {
  let done = 0;
  for (const key of keys) {
    try {
      await work(key);
      done += 1;
    } catch (error) {
      onError(key, error);
    }
  }
  return done;
}

/** Creates a notification for each member whom the fact concerns. */
const makeNotifications = ({ database }: NotificationPorts): Promise<number> =>
  repeatWhenLost(() =>
    database.transaction(everyClient, async (tx) => {
      const facts = await lockUnspreadFacts(tx, step);
      if (facts.length === 0) return 0;
      const now = await readClock(tx);
      const isNew = ({ happenedAt }: NotificationFact) =>
        now.getTime() - happenedAt.getTime() < tooOldMs;
      const told = facts.filter((fact) => isNew(fact) && stillApplies(fact));
      for (const clientId of new Set(told.map((fact) => fact.clientId))) {
        const members = await listNotifiedMembers(tx, clientId);
        for (const fact of told)
          if (fact.clientId === clientId) await makeNotificationsOf(tx, fact, members);
      }
      await markFactsSpread(tx, facts);
      return facts.length;
    }),
  );

async function makeNotificationsOf(
  tx: Tx,
  fact: NotificationFact,
  members: readonly NotifiedMember[],
): Promise<void> {
  for (const member of members) {
    const way = choiceOf(member, fact.kind);
    if (way === undefined || way === 'off' || !concernsMember(fact, member)) continue;
    await insertNotification(tx, fact, { userId: member.userId, way });
  }
}

/**
 * Queues a mail of this kind to a person, or adds the facts to a queued one. After a mail was sent,
 * further facts wait for the end of the hour.
 */
async function gatherMail(key: NotificationKey, ports: NotificationPorts): Promise<void> {
  const { clientId, userId, kind } = key;
  const place = await findNotificationPlace(ports.database, clientId);
  await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const member = await keepNotifiedMember(tx, clientId, userId);
      if (!member) return;
      const last = await lockLastMail(tx, key);
      const facts = await selectDueFacts(tx, { key, member });
      if (facts.length === 0) return;
      const scene = { tx, key, place, ports };
      if (last.isRecent && last.mailId !== null) {
        await addTo(scene, last.mailId, facts);
        return;
      }
      const words = notificationWords(kind, facts, notificationWordsOf(scene));
      const mail = { ...words, to: member.email, kind: `notification_${kind}`, clientId };
      const mailId = await queueMail(tx, { ...mail, pauseMs: gatheringMs }, ports);
      await settleNotifications(tx, key, { facts, mailId });
      await setLastMail(tx, key, mailId);
    }),
  );
}

/**
 * Returns the waiting facts to mail now. Deletes notifications that the person may not or does not want
 * to receive, and moves the facts that the person reads in the
 * digest there.
 */
async function selectDueFacts(
  tx: Tx,
  { key, member }: { readonly key: NotificationKey; readonly member: NotifiedMember },
): Promise<NotificationFact[]> {
  const waiting = await listWaitingNotifications(tx, key);
  const choice = choiceOf(member, key.kind);
  const told = waiting.filter(stillApplies);
  await dropNotifications(
    tx,
    key,
    choice === undefined || choice === 'off'
      ? waiting
      : waiting.filter((fact) => !stillApplies(fact)),
  );
  if (choice === 'daily') await postponeNotifications(tx, key, told);
  return choice === 'mail' ? told : [];
}

type NotificationContext = {
  readonly tx: Tx;
  readonly key: NotificationKey;
  readonly place: NotificationPlace;
  readonly ports: NotificationPorts;
};

const notificationWordsOf = ({ key, place, ports }: NotificationContext) => ({
  clientId: key.clientId,
  place,
  baseUrl: ports.settings.baseUrl,
  mode: ports.settings.mode,
});

async function addTo(
  scene: NotificationContext,
  mailId: string,
  facts: readonly NotificationFact[],
): Promise<void> {
  const { tx, key, ports } = scene;
  const all = [...(await listNotificationsOfMail(tx, key.clientId, mailId)), ...facts];
  const isAdded = await requeueMail(
    tx,
    mailId,
    notificationWords(key.kind, all, notificationWordsOf(scene)),
    ports,
  );
  if (isAdded) await settleNotifications(tx, key, { facts, mailId });
}
