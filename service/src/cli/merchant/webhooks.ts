// `svc webhooks`: lists the merchant's endpoints, and tests one.

import type { WebhookAttempt, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import type { Command, Surroundings } from '../line/command.ts';
import { type Flags, readLine, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { readVerb } from '../line/verbs.ts';
import { answeredLine } from './event-lines.ts';
import { openProject, projectFlags, projectHelp } from './project.ts';

const help = `svc webhooks: where a merchant's events are delivered to

  svc webhooks list     every endpoint, and whether its deliveries arrive; never a secret
  svc webhooks test ID  sends an event of type webhook_endpoint.test at once, and shows the answer

  --json                one JSON object a line

${projectHelp}`;

const flagTable = { ...projectFlags, json: { type: 'boolean' } } as const;

export const webhooksCommand: Command = {
  name: 'webhooks',
  summary: 'list and test webhook endpoints',
  help,
  async run(args, around) {
    const { verb, rest } = readVerb('webhooks', ['list', 'test'], args);
    const { flags, words } = readLine(rest, flagTable);
    const [id, more] = words;
    const odd = verb === 'list' ? id : more;
    if (odd !== undefined) throw new UsageError(`svc webhooks ${verb} takes no ${odd}`);
    if (verb === 'list') return list(flags, around);
    if (id === undefined) throw new UsageError('say which endpoint: see svc webhooks list');
    return testEndpoint(id, flags, around);
  },
};

async function list(flags: Flags, around: Surroundings): Promise<number> {
  const { api } = openProject(flags, around);
  const { data } = await api<{ data: WebhookEndpoint[] }>('GET /v1/webhook-endpoints?limit=100');
  if (flags.json) {
    for (const endpoint of data) around.out.write(`${JSON.stringify(endpoint)}\n`);
    return 0;
  }
  const rows = data.map((one) => [
    one.id,
    stateOf(one),
    one.eventTypes?.join(',') ?? 'all',
    one.url,
  ]);
  around.out.write(table([['endpoint', 'state', 'events', 'url'], ...rows]));
  return 0;
}

function stateOf({ isEnabled, disabledReason, failingSince }: WebhookEndpoint): string {
  if (!isEnabled) return `disabled (${disabledReason})`;
  return failingSince === null ? 'enabled' : `failing since ${failingSince}`;
}

async function testEndpoint(id: string, flags: Flags, around: Surroundings): Promise<number> {
  const { out } = around;
  const { api } = openProject(flags, around);
  const attempt = await api<WebhookAttempt>(
    `POST /v1/webhook-endpoints/${encodeURIComponent(id)}/test`,
    { body: {} },
  );
  const { eventId, status, error, response, durationMs, outcome } = attempt;
  if (flags.json) out.write(`${JSON.stringify(attempt)}\n`);
  else {
    out.write(`${outcome}  ${status ?? error}  ${eventId}  ${durationMs} ms\n`);
    out.write(answeredLine(response, 2));
  }
  return outcome === 'delivered' ? 0 : 1;
}
