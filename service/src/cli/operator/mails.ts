import { readWaitingMails } from '../../engine/steps/mails/read-waiting-mails.ts';
import type { OperatorCommand } from '../line/command.ts';
import { readFlags } from '../line/flags.ts';

const help = `svc mails: mails that were not sent yet, with their texts and the last error

Without SVC_SMTP_URL mails wait here, three days at most. Their links let somebody in: show them to
nobody but the person they are for. It needs the settings of the service.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

const flagTable = { database: { type: 'string' } } as const;

export const mailsCommand: OperatorCommand = {
  name: 'mails',
  summary: 'show queued mails of a service that sends none',
  help,
  async run(args, around) {
    const flags = readFlags(args, flagTable);
    const { ports, close } = await around.openPorts(flags.database as string | undefined);
    try {
      const mails = await readWaitingMails(ports);
      for (const { to, subject, text, createdAt, lastError } of mails.toReversed()) {
        const failed = lastError === null ? '' : `  (not sent: ${lastError})`;
        const indented = text.trimEnd().replace(/^(?=.)/gm, '    ');
        around.out.write(
          `${createdAt.toISOString()}  ${to}  ${subject}${failed}\n\n${indented}\n\n`,
        );
      }
      around.out.write(mails.length === 1 ? '1 mail waits\n' : `${mails.length} mails wait\n`);
      return 0;
    } finally {
      await close();
    }
  },
};
