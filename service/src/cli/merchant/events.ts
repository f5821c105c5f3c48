// `svc events`: reads the merchant's events, and sends them again.

import type { Event } from '@svc/contract/events/events';
import { type Command, interruptedCode, type Surroundings } from '../line/command.ts';
import { type Flags, readInstant, readLine, readNumber, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { readVerb } from '../line/verbs.ts';
import { eventLines } from './event-lines.ts';
import { readEventType } from './event-types.ts';
import { readOrCreateListenSecret } from './listen-secret.ts';
import { openProject, type Project, projectFlags, projectHelp } from './project.ts';
import { readTargetUrl, remoteTargetNote } from './target-url.ts';

const help = `svc events: what happened at a merchant, and its delivery

  svc events list [--type TYPE] [--resource ID] [--since TIME] [--limit N]
                     newest first
  svc events get ID  the whole event
  svc events resend ID [--endpoint ID]
                     delivers it again: to every subscribed endpoint, or to one
  svc events resend ID --forward-to URL
                     sends it to an address on this machine, signed like svc listen
  svc events resend --endpoint ID --since TIME [--until TIME] [--all]
                     delivers again the events that did not reach the endpoint in that time, or with
                     --all every event, also of types that it subscribed to later

An event that is sent again has the same body and id, and the header Svc-Redelivery.

  --json             one JSON object a line

${projectHelp}`;

const flagTable = {
  ...projectFlags,
  type: { type: 'string' },
  resource: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  all: { type: 'boolean' },
  endpoint: { type: 'string' },
  'forward-to': { type: 'string' },
  json: { type: 'boolean' },
} as const;

const verbs = ['list', 'get', 'resend'] as const;

/** The flags of each verb, apart from those that name the service. */
const flagsOf: Readonly<Record<(typeof verbs)[number], readonly string[]>> = {
  list: ['type', 'resource', 'since', 'limit', 'json'],
  get: [],
  resend: ['since', 'until', 'all', 'endpoint', 'forward-to', 'json'],
};

export const eventsCommand: Command = {
  name: 'events',
  summary: 'read events, and deliver them again',
  help,
  async run(args, around) {
    const { verb, rest } = readVerb('events', verbs, args);
    const { flags, words } = readLine(rest, flagTable);
    const odd = Object.keys(flags).find(
      (name) => !(name in projectFlags) && !flagsOf[verb].includes(name),
    );
    if (odd !== undefined) throw new UsageError(`svc events ${verb} takes no --${odd}`);
    const asked: CommandInput = { flags, words, around };
    if (verb === 'list') return list(asked);
    if (verb === 'get') return getEvent(asked);
    return flags.since === undefined ? resend(asked) : resendSpan(asked);
  },
};

type CommandInput = {
  readonly flags: Flags;
  readonly words: readonly string[];
  readonly around: Surroundings;
};

function readId(words: readonly string[]): string {
  const [id, more] = words;
  if (id === undefined || !/^evt_[0-9a-f]{32}$/i.test(id)) {
    throw new UsageError('say which event: an id such as evt_0190…, see svc events list');
  }
  if (more !== undefined) throw new UsageError(`one event at a time: ${more}`);
  return id;
}

async function list({ flags, words, around }: CommandInput): Promise<number> {
  if (words[0] !== undefined) throw new UsageError(`svc events list takes no ${words[0]}`);
  const { type, resource, since, limit } = flags;
  const count = readNumber('limit', String(limit ?? '20'), { min: 1, max: 100 });
  const query = new URLSearchParams({ limit: String(count) });
  if (type !== undefined) query.set('type[eq]', readEventType(String(type)));
  if (resource !== undefined) query.set('resourceId[eq]', String(resource));
  if (since !== undefined) {
    query.set('createdAt[gte]', readInstant('since', String(since)).toISOString());
  }
  const project = openProject(flags, around);
  const { data } = await project.api<{ data: Event[] }>(`GET /v1/events?${query}`);
  if (flags.json) {
    for (const event of data) around.out.write(`${JSON.stringify(event)}\n`);
    return 0;
  }
  const rows = data.map((event) => {
    const { timestamp, resource: about } = event;
    return [timestamp, event.type, event.id, `${about.type} ${about.id}`];
  });
  around.out.write(table([['created', 'type', 'event', 'about'], ...rows]));
  return 0;
}

async function getEvent({ flags, words, around }: CommandInput): Promise<number> {
  const id = readId(words);
  const event = await openProject(flags, around).api<Event>(`GET /v1/events/${id}`);
  around.out.write(`${JSON.stringify(event, null, 2)}\n`);
  return 0;
}

async function resend({ flags, words, around }: CommandInput): Promise<number> {
  const odd = ['until', 'all'].find((name) => flags[name] !== undefined);
  if (odd !== undefined) throw new UsageError(`--${odd} needs --since TIME`);
  const id = readId(words);
  const { endpoint } = flags;
  if (flags['forward-to'] !== undefined) {
    if (endpoint !== undefined) {
      throw new UsageError('--endpoint and --forward-to are both given; leave one out');
    }
    return resendHere({ flags, words, around });
  }
  const body = endpoint === undefined ? {} : { endpointIds: [String(endpoint)] };
  const project = openProject(flags, around);
  const { deliveries } = await project.api<{ deliveries: number }>(
    `POST /v1/events/${id}/redeliver`,
    { body },
  );
  return reportDeliveries(deliveries, {
    flags,
    around,
    none: 'no enabled endpoint takes this event, or it is on its way already',
  });
}

/** Sends an event to an address on this machine; endpoints and their deliveries do not change. */
async function resendHere({ flags, words, around }: CommandInput): Promise<number> {
  const url = readTargetUrl('forward-to', flags['forward-to']);
  const project = openProject(flags, around);
  const event = await project.api<Event>(`GET /v1/events/${readId(words)}`);
  const lines = eventLines(around, { isJson: flags.json === true, apiUrl: project.apiUrl });
  const remoteNote = remoteTargetNote(url);
  if (remoteNote) lines.note(remoteNote);
  lines.event(event);
  const answer = await around.sendWebhook({
    url,
    body: JSON.stringify(event),
    eventId: event.id,
    secrets: [readOrCreateListenSecret(project.folder)],
    now: new Date(),
    redelivery: 1,
  });
  lines.answer(event, answer);
  return answer.error === null ? 0 : 1;
}

type Span = { readonly deliveries: number; readonly continueFrom: string | null };

async function resendSpan({ flags, words, around }: CommandInput): Promise<number> {
  const { endpoint, since, until, all } = flags;
  if (words[0] !== undefined || flags['forward-to'] !== undefined) {
    throw new UsageError('--since resends many events: remove the event id and --forward-to');
  }
  if (endpoint === undefined) {
    throw new UsageError('name the endpoint: --endpoint ID, see svc webhooks list');
  }
  let from: string | null = readInstant('since', String(since)).toISOString();
  const end = until === undefined ? {} : { until: readInstant('until', String(until)) };
  const project: Project = openProject(flags, around);
  let deliveries = 0;
  while (from !== null && !around.signal.aborted) {
    const body: object = { since: from, ...end, status: all ? 'all' : 'failed' };
    const part: Span | undefined = await project
      .api<Span>(`POST /v1/webhook-endpoints/${encodeURIComponent(String(endpoint))}/redeliver`, {
        body,
      })
      .catch((error): undefined => {
        if (!around.signal.aborted) throw error;
      });
    if (!part) break;
    deliveries += part.deliveries;
    from = part.continueFrom;
  }
  if (from !== null) {
    around.err.write(`svc events: broken off after ${deliveries}; go on with --since ${from}\n`);
    return interruptedCode;
  }
  return reportDeliveries(deliveries, {
    flags,
    around,
    none: 'nothing in that time is left to deliver',
  });
}

type ReportOptions = {
  readonly flags: Flags;
  readonly around: Surroundings;
  readonly none: string;
};

function reportDeliveries(deliveries: number, { flags, around, none }: ReportOptions): number {
  if (flags.json) around.out.write(`${JSON.stringify({ deliveries })}\n`);
  else if (deliveries === 0) around.err.write(`svc events: ${none}\n`);
  else
    around.out.write(`${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'} under way\n`);
  return deliveries === 0 ? 1 : 0;
}
