// `svc trigger`: causes an event for real at a sandbox, and waits until the merchant gets it.

import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@svc/contract/events/events';
import { type EventType, eventTypes } from '@svc/contract/rows/event-types';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import { type Command, CommandError, type Surroundings } from '../line/command.ts';
import { readDuration, readLine, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { type Api, openApi } from '../merchant/api.ts';
import { readEventType } from '../merchant/event-types.ts';
import { followEvents } from '../merchant/follow-events.ts';
import { readOrCreateListenSecret } from '../merchant/listen-secret.ts';
import {
  folderOf,
  openProject,
  type Project,
  projectFlags,
  projectHelp,
} from '../merchant/project.ts';
import { readTargetUrl } from '../merchant/target-url.ts';
import { type Bodies, readOverrides } from './trigger-overrides.ts';
import type { Subscription, Trigger, TriggerScene } from './trigger-scene.ts';
import { openShop } from './trigger-shop.ts';
import { verifyHandler } from './trigger-verify.ts';
import { triggers } from './triggers.ts';

const help = `svc trigger: makes an event happen for real, in a sandbox

  svc trigger payment.authorized
  svc trigger refund.failed --payment ID
  svc trigger item.purchased --override session.metadata.order=7
  svc trigger --list
  svc trigger --verify http://localhost:3000/webhooks

The command opens sessions, pays with test cards, disputes and moves time, by the public API and the
sandbox's controls. The event is real, so other events come with it. The command ends when the event
is in the merchant's list, and prints its id. Some events move the sandbox's clock for everything in
it: what ends or falls due by then does, and failing endpoints are disabled. The command prints this
before it happens.

  --payment ID        acts on this payment, for events of an existing payment
  --subscription ID   the same for subscription.renewed, .past_due and .canceled; for past_due a
                      card that is declined replaces the subscription's card
  --approver-token T  or SVC_APPROVER_TOKEN: the API token of another owner or admin, who approves
                      for refund_request.approved
  --override A.B=C    changes a field of a request: request A, field B, value C; repeatable
  --within TIME       how long to wait for the event (default 60s)
  --json              prints the whole event
  --verify URL        tests a handler with deliveries to accept and to refuse, signed with the
                      secret of svc listen, or of SVC_WEBHOOK_SECRET
  --list              every event, what it acts on, and which requests can be changed

A token that has scopes needs, as far as the event goes:

  for every event     events:read, checkout:write (reads the merchant, starts sessions)
  payments, disputes  catalog:read, catalog:write (where no product is there), payments:read,
                      payments:write, refunds:write, disputes:read
  saved cards and     customers:write, payment_methods:read, payment_methods:write, payments:read,
  subscriptions       payments:write
  endpoints           webhooks:read, webhooks:write

${projectHelp}`;

const flagTable = {
  ...projectFlags,
  payment: { type: 'string' },
  subscription: { type: 'string' },
  'approver-token': { type: 'string' },
  override: { type: 'string', multiple: true },
  within: { type: 'string' },
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  verify: { type: 'string' },
} as const;

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'cause a real event in a sandbox',
  help,
  async run(args, around) {
    const { flags, words } = readLine(args, flagTable);
    if (flags.list) return printList(around);
    if (flags.verify !== undefined) {
      const secret =
        around.env.SVC_WEBHOOK_SECRET?.trim() || readOrCreateListenSecret(folderOf(flags));
      return verifyHandler({ url: readTargetUrl('verify', flags.verify), secret }, around);
    }
    const [name, more] = words;
    if (name === undefined) throw new UsageError('say which event; svc trigger --list names them');
    if (more !== undefined) throw new UsageError(`one event at a time: ${more}`);
    const type = readEventType(name);
    const trigger: Trigger = triggers[type];
    if (trigger.needsOperator && around.tokens === null) throwNotHere(type);
    const paymentId = readPayment(type, trigger, flags.payment);
    const subscriptionId = readSubscription(type, trigger, flags.subscription);
    const bodies = readOverrides((flags.override as string[] | undefined) ?? [], trigger.asks);
    const withinMs = readDuration('within', String(flags.within ?? '60s'));
    const openTriggerProject = () => openProject(flags, around);
    const given = flags['approver-token'] ?? around.env.SVC_APPROVER_TOKEN?.trim();
    const acted = { paymentId, subscriptionId, approverToken: given ? String(given) : null };
    const event = await triggerEvent({
      type,
      trigger,
      ...acted,
      bodies,
      withinMs,
      open: openTriggerProject,
      around,
    });
    if (event === undefined) {
      around.err.write(`svc trigger: ${type} was not told within ${withinMs / 1000} seconds\n`);
      return 1;
    }
    const { id, resource } = event;
    around.out.write(
      flags.json
        ? `${JSON.stringify(event)}\n`
        : `${type}  ${id}\n  about ${resource.type} ${resource.id}\n`,
    );
    return 0;
  },
};

function readPayment(type: EventType, { on }: Trigger, given: unknown): string | null {
  if (given === undefined) return null;
  if (on === null) throw new UsageError(`${type} makes its own resource; leave --payment out`);
  if (!uuidPattern.test(String(given))) throw new UsageError('--payment is the id of a payment');
  return String(given);
}

function readSubscription(type: EventType, trigger: Trigger, given: unknown): string | null {
  if (given === undefined) return null;
  if (!trigger.onSubscription) {
    throw new UsageError(`${type} acts on no subscription; leave --subscription out`);
  }
  if (uuidPattern.test(String(given))) return String(given);
  throw new UsageError('--subscription is the id of a subscription');
}

function printList({ out, tokens }: Surroundings): number {
  const rows = eventTypes.map((type) => {
    const { on, asks, needsOperator }: Trigger = triggers[type];
    const isElsewhere = needsOperator && tokens === null;
    return [type, asks.join(', '), isElsewhere ? 'where the service is installed' : (on ?? '')];
  });
  out.write(table([['event', 'requests for --override', '--payment takes'], ...rows]));
  return 0;
}

type TriggerRequest = {
  readonly type: EventType;
  readonly trigger: Trigger;
  readonly paymentId: string | null;
  readonly subscriptionId: string | null;
  readonly approverToken: string | null;
  readonly bodies: Bodies;
  readonly withinMs: number;
  open(): Project;
  readonly around: Surroundings;
};

async function triggerEvent(wish: TriggerRequest): Promise<Event | undefined> {
  const { open, around, bodies, trigger } = wish;
  const project = open();
  const { livemode } = await project.api<{ livemode: boolean }>('GET /v1/client');
  if (livemode) {
    throw new CommandError(
      'this merchant is live: events are triggered for merchants of a sandbox only',
    );
  }
  const note = (text: string) => void around.err.write(`> ${text}\n`);
  const shop = openShop({ project, bodies, note });
  const payment = wish.paymentId === null ? null : await shop.payment(wish.paymentId);
  const { subscriptionId } = wish;
  const subscription =
    subscriptionId === null
      ? null
      : await project.api<Subscription>(`GET /v1/subscriptions/${subscriptionId}`);
  const heard = await listenBeside(wish);
  try {
    const waitForSeen: TriggerScene['seen'] = async (type, id) => {
      const event = await heard.until(type, id);
      if (event === undefined) throw new CommandError(`${type}, which comes before, was not told`);
      return event;
    };
    const tokens = tokensOf(wish, project);
    const approver = approverOf(wish, project);
    const scene = { shop, payment, subscription, approver, seen: waitForSeen, tokens };
    const id = await trigger.run(scene);
    return await heard.until(wish.type, id);
  } finally {
    await heard.close();
  }
}

/** Reads the merchant's events from now on, while the trigger causes more of them. */
async function listenBeside({ open, withinMs, around }: TriggerRequest) {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, around.signal]);
  const heard: Event[] = [];
  let trouble: unknown;
  let beginTrigger: () => void = () => undefined;
  // Written out because Node 20, which runs the package, has no Promise.withResolvers.
  const begun = new Promise<void>((resolve) => {
    beginTrigger = resolve;
  });
  const reading = (async () => {
    try {
      for await (const event of followEvents({
        open,
        from: 'now',
        signal,
        onReady: beginTrigger,
      })) {
        heard.push(event);
      }
    } catch (error) {
      trouble = error;
      beginTrigger();
    }
  })();
  // The reading has begun before anything happens, so that an earlier event is not taken for this one.
  await begun;
  return {
    async until(type: EventType, id: string): Promise<Event | undefined> {
      const deadline = performance.now() + withinMs;
      while (performance.now() < deadline) {
        if (trouble !== undefined) throw trouble;
        const found = heard.find((event) => event.type === type && names(event, id));
        if (found) return found;
        around.signal.throwIfAborted();
        await pause(50);
      }
      return undefined;
    },
    async close(): Promise<void> {
      stopping.abort();
      await reading;
    },
  };
}

/** Ids are unique, so an equal id anywhere in the object is this one. */
const names = ({ resource, data }: Event, id: string): boolean =>
  resource.id === id || JSON.stringify(data.object).includes(`"${id}"`);

const approverOf = (
  { approverToken, around }: TriggerRequest,
  { apiUrl, clientId }: Project,
): Api | null =>
  approverToken === null
    ? null
    : openApi({ apiUrl, clientId, apiToken: approverToken }, around.signal);

/** API tokens cannot manage API tokens, so these come from the operator, as svc tokens makes them. */
function tokensOf(
  { type, around, bodies }: TriggerRequest,
  { clientId, ownerEmail }: Project,
): TriggerScene['tokens'] {
  const maker = () => around.tokens ?? throwNotHere(type);
  return {
    async create() {
      const { email, name } = bodies.of('token', { email: ownerEmail, name: 'svc trigger' });
      if (email === null)
        throw new CommandError('name the owner of the token: --override token.email=ADDRESS');
      return maker().create({ clientId, email, name });
    },
    revoke: (id) => maker().revoke(id),
  };
}

function throwNotHere(type: EventType): never {
  throw new CommandError(
    `${type} needs the service's own database: run it where the service is installed, ` +
      `npm run -s svc -- trigger ${type}`,
  );
}
