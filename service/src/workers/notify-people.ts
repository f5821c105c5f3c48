import {
  type NotificationPass,
  type NotificationPorts,
  notifyPeople,
} from '../engine/runs/notifications/notify-people.ts';
import { sendDigests } from '../engine/runs/notifications/send-digests.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/**
 * Writes the mails that a merchant's people asked for. Any number of processes may run it. Digests are due
 * once a day, and who is owed one is found among all members: they are looked for once a minute.
 */
export function startNotifyPeople(ports: NotificationPorts, options: PassOptions): Worker {
  const pass: NotificationPass = {
    onError: ({ clientId }, error) =>
      options.log.error({ clientId, err: error }, 'people not notified'),
  };
  const workers = [
    startPasses({ pollMs: 5000, ...options }, () => notifyPeople(ports, pass)),
    startPasses({ pollMs: 60_000, ...options }, () => sendDigests(ports, pass)),
  ];
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
