// Hands mails to the SMTP server, and erases those that are too old. Any number of processes may run it.

import { type MailPorts, sendDueMails } from '../engine/runs/mails/send-due-mails.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

export type SendMailsOptions = Omit<PassOptions, 'log'> & {
  readonly log: PassOptions['log'] & { warn(facts: object, message: string): void };
};

/** Without SMTP only old mails have to be erased, so a slow poll is enough. */
const idlePollMs = 60_000;

export function startSendMails(ports: MailPorts, options: SendMailsOptions): Worker {
  const { log } = options;
  const pollMs = ports.mail === null ? idlePollMs : 1000;
  return startPasses({ pollMs, ...options }, async () => {
    const ends = await sendDueMails(ports);
    for (const { outcome, error } of ends) {
      const facts = error === null ? {} : { errorCode: error };
      if (outcome === 'postponed') log.warn(facts, 'mail not sent; tried again later');
      if (outcome === 'given_up') log.warn(facts, 'mail given up');
    }
    return ends.length;
  });
}
