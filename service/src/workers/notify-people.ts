import {
  type NoticePass,
  type NoticePorts,
  notifyPeople,
} from '../engine/runs/notifications/notify-people.ts';
import { sendDigests } from '../engine/runs/notifications/send-digests.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Writes the mails that a merchant's people asked for. Any number of processes may run it. */
export const startNotifyPeople = (ports: NoticePorts, options: PassOptions): Worker =>
  startPasses({ pollMs: 5000, ...options }, async () => {
    const pass: NoticePass = {
      onError: ({ clientId }, error) =>
        options.log.error({ clientId, err: error }, 'people not notified'),
    };
    const notified = await notifyPeople(ports, pass);
    return notified + (await sendDigests(ports, pass));
  });
