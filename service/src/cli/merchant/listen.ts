// `svc listen`: forwards the merchant's events to an address on this machine, signed like
// deliveries. It reads GET /v1/events, so the service needs no way to reach this machine. Contract
// §7.

import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@svc/contract/events/events';
import type { Command, Surroundings } from '../line/command.ts';
import { type Flags, readFlags, readInstant, UsageError } from '../line/flags.ts';
import { type EventLines, eventLines } from './event-lines.ts';
import { readEventType } from './event-types.ts';
import { type FollowOptions, followEvents } from './follow-events.ts';
import { Lanes } from './lanes.ts';
import { readOrCreateListenSecret } from './listen-secret.ts';
import { folderOf, isStartNamed, openProject, projectFlags, projectHelp } from './project.ts';
import { readTargetUrl, remoteTargetNote } from './target-url.ts';

const help = `svc listen: forwards the merchant's events to an address on this machine

  svc listen --forward-to http://localhost:3000/webhooks
  svc listen --print-secret
                     prints the signing secret alone, for a setting of your handler

Each event arrives once, with the body, the headers and the two signatures of a real delivery; those
of one resource one after the other. An answer other than 2xx is shown and not tried again (svc events
resend ID --forward-to URL does); while nobody listens there, events wait. The secret is made once for
the project and stays the same; it is kept in the data folder. The payment that npm start makes as
proof (isStartProof) is left out.

  --forward-to URL   the address; :3000/hook and 3000/hook mean http://localhost:3000/hook
  --events LIST      only these types, separated by commas
  --since ID|TIME    events after this one, or since this day or time
  --latest           only new events (the default)
  --json             one JSON object a line
  --print-secret     prints the secret and ends

${projectHelp}`;

const flagTable = {
  ...projectFlags,
  'forward-to': { type: 'string' },
  events: { type: 'string' },
  since: { type: 'string' },
  latest: { type: 'boolean' },
  json: { type: 'boolean' },
  'print-secret': { type: 'boolean' },
} as const;

/** The most events under way at once, including those that wait for an earlier one of their resource. */
const mostAtOnce = 16;

export const listenCommand: Command = {
  name: 'listen',
  summary: 'forward events to an address on this machine',
  help,
  async run(args, around) {
    const flags = readFlags(args, flagTable);
    if (flags['print-secret']) {
      around.out.write(`${readOrCreateListenSecret(folderOf(flags))}\n`);
      return 0;
    }
    return listen(readSettings(flags), flags, around);
  },
};

type Settings = {
  readonly url: string;
  readonly types: ReadonlySet<string> | null;
  readonly from: FollowOptions['from'];
  readonly isJson: boolean;
};

function readSettings(flags: Flags): Settings {
  const { events, since, latest } = flags;
  if (latest && since !== undefined) {
    throw new UsageError('--latest and --since are both given; leave one out');
  }
  const types = typeof events === 'string' ? events.split(',').map((one) => one.trim()) : null;
  return {
    url: readTargetUrl('forward-to', flags['forward-to']),
    types: types && new Set(types.map(readEventType)),
    from: typeof since === 'string' ? readSince(since) : 'now',
    isJson: flags.json === true,
  };
}

const readSince = (text: string): FollowOptions['from'] =>
  /^evt_[0-9a-f]{32}$/i.test(text) ? { after: text } : { since: readInstant('since', text) };

async function listen(settings: Settings, flags: Flags, around: Surroundings): Promise<number> {
  // Decided once: while a start with other data replaces its folder, no other service may be used.
  const env = isStartNamed(flags) ? {} : around.env;
  const project = openProject(flags, { ...around, env });
  const secret = readOrCreateListenSecret(project.folder);
  const lines = eventLines(around, { isJson: settings.isJson, apiUrl: project.apiUrl });
  lines.note(`events of ${project.apiUrl} go to ${settings.url}`);
  const remoteNote = remoteTargetNote(settings.url);
  if (remoteNote) lines.note(remoteNote);
  lines.note(`signed with ${secret} (the same each time)`);
  lines.note('svc events get ID prints one whole; Ctrl-C ends');
  const forward = forwarder({ ...settings, secret, lines, around });
  const lanes = new Lanes(mostAtOnce);
  const events = followEvents({
    open: () => openProject(flags, { ...around, env }),
    from: settings.from,
    signal: around.signal,
    onLost: (reason) => lines.note(`${reason}; trying again`),
    onBack: () => lines.note('the service is back; going on where it stopped'),
    onOther() {
      lines.note('the service has other data now; going on with what happens next');
      // The folder may have changed too: a person who reads the secret there must get the one that
      // signs here.
      readOrCreateListenSecret(project.folder, secret);
    },
  });
  for await (const event of events) {
    if (settings.types && !settings.types.has(event.type)) continue;
    // A start of the service makes one payment as proof: it is no real order, and only the demo
    // shop gets its events.
    if (event.data.isStartProof) continue;
    lines.event(event);
    await lanes.add(event.resource.id, () => forward.send(event));
    if (around.signal.aborted) break;
  }
  if (lanes.open > 0) lines.note('waiting for the last answers; Ctrl-C again drops them');
  await lanes.idle();
  lines.note(forward.sum());
  return 0;
}

type Forwarding = Settings & {
  readonly secret: string;
  readonly lines: EventLines;
  readonly around: Surroundings;
};

const againMs = 500;

function forwarder({ url, secret, lines, around }: Forwarding) {
  let [sent, taken, dropped] = [0, 0, 0];
  let isAlone = false;
  let isHinted = false;
  const attempt = (event: Event) =>
    around.sendWebhook({
      url,
      body: JSON.stringify(event),
      eventId: event.id,
      secrets: [secret],
      now: new Date(),
    });
  return {
    async send(event: Event): Promise<void> {
      let answer = await attempt(event);
      // The connection was refused, so sending again is no second request.
      while (answer.error === 'connection_refused') {
        if (around.signal.aborted) {
          dropped += 1;
          return;
        }
        if (!isAlone) lines.note(`nobody listens at ${url}; events wait`);
        isAlone = true;
        await pause(againMs, undefined, { signal: around.signal }).catch(() => undefined);
        answer = await attempt(event);
      }
      isAlone = false;
      sent += 1;
      if (answer.error === null) taken += 1;
      lines.answer(event, answer);
      if (isHinted || ![400, 401, 403].includes(answer.status ?? 0)) return;
      isHinted = true;
      lines.note('does your handler verify with the secret of svc listen --print-secret?');
    },
    sum: () =>
      `${sent} events forwarded, ${taken} answered with 2xx` +
      (dropped === 0 ? '' : `, ${dropped} not: nobody listened`),
  };
}
