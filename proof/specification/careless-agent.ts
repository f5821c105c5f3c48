// An agent that retries badly, by seed: it loses responses, sends calls twice at once, uses
// confirmations of other calls, changes its arguments, asks for another preview and forgets what it
// has done. Its task is still done exactly once.

import type { Client } from '@modelcontextprotocol/client';
import { unrefundable } from '@svc/contract/payments/refunds';
import type { TestGrant } from '../../service/test/people/grants.ts';
import { aHold } from '../../service/test/world.ts';
import { type Random, seeded } from '../kit/random.ts';
import {
  type CallFate,
  type CuttingProxy,
  callTool,
  connectAgent,
  type Fixture,
  openCuttingProxy,
  outcomeOf,
  previewOf,
  type ToolResult,
} from './agent.ts';

export type ToolIntent = {
  readonly tool: 'capture_payment' | 'cancel_payment' | 'create_refund';
  readonly args: Readonly<Record<string, unknown>>;
};

export type PlayResult = {
  readonly paymentId: string;
  readonly wishes: readonly ToolIntent[];
  /** Violations: money that moved for a call without a confirmation. */
  readonly wrongs: readonly string[];
  readonly seen: Readonly<Record<string, number>>;
};

type Run = {
  readonly fixture: Fixture;
  readonly random: Random;
  readonly way: CuttingProxy;
  readonly grant: TestGrant;
  client: Client;
  /** The newest confirmation for each wish. */
  readonly confirmations: Map<ToolIntent, string>;
  readonly wrongs: string[];
  readonly seen: Record<string, number>;
};

/** Codes that a careless agent may rightly get. */
const expected = new Set<string>([
  'confirmation_invalid',
  'confirmation_outdated',
  'gateway_outcome_unknown',
  'gateway_unavailable',
  'gateway_capture_failed',
  'gateway_cancel_failed',
  'payment_operation_in_progress',
  // The agent repeats a wish whose response was lost.
  'payment_not_authorized',
  ...unrefundable,
]);

export async function playCarelessAgent(fixture: Fixture, seed: number): Promise<PlayResult> {
  const random = seeded(seed);
  const { paymentId } = await aHold(fixture.world);
  const grant = await fixture.grant(['payments:read', 'payments:write', 'refunds:write']);
  const way = await openCuttingProxy(Number(new URL(fixture.baseUrl).port));
  const client = await connectAgent(way.url, grant, 'auto');
  const run: Run = {
    ...{ fixture, random, way, grant, client },
    ...{ confirmations: new Map(), wrongs: [], seen: {} },
  };
  const wishes = drawIntents(random, paymentId);
  const [move, ...refunds] = wishes;
  await fulfil(run, move ? [move] : []);
  await fulfil(run, refunds);
  // The agent repeats wishes that it has already fulfilled.
  for (const wish of wishes) if (random.chance(0.5)) await sendRandomStep(run, wish);
  await run.client.close();
  await way.close();
  return { paymentId, wishes, wrongs: run.wrongs, seen: run.seen };
}

function drawIntents(random: Random, paymentId: string): ToolIntent[] {
  if (random.chance(0.15)) return [{ tool: 'cancel_payment', args: { paymentId } }];
  const wishes: ToolIntent[] = [{ tool: 'capture_payment', args: { paymentId } }];
  const times = new Map<number, number>();
  for (let left = random.whole(0, 3); left > 0; left--) {
    const amount = random.pick([1, 2.5, 5]);
    const occurrence = (times.get(amount) ?? 0) + 1;
    times.set(amount, occurrence);
    const args = { paymentId, amount, ...(occurrence > 1 ? { occurrence } : {}) };
    wishes.push({ tool: 'create_refund', args });
  }
  return wishes;
}

const mostSteps = 200;

/** Makes random steps for each wish until every wish is fulfilled. */
async function fulfil(run: Run, wishes: readonly ToolIntent[]): Promise<void> {
  const open = new Set(wishes);
  for (let step = 1; open.size > 0; step++) {
    if (step > mostSteps)
      throw new Error(`did not come true: ${JSON.stringify([...open, run.seen])}`);
    // A second equal refund is possible only after the first one.
    const ready = [...open].filter(
      ({ args }) => ![...open].some((other) => isEarlierEqual(other.args, args)),
    );
    const wish = run.random.pick(ready);
    if (await sendRandomStep(run, wish)) open.delete(wish);
    if (step % 10 === 0) await run.fixture.recover();
  }
}

const isEarlierEqual = (one: ToolIntent['args'], other: ToolIntent['args']): boolean =>
  one.amount === other.amount && Number(one.occurrence ?? 1) < Number(other.occurrence ?? 1);

/** Makes one random step; returns true when the response states that the wish is fulfilled. */
async function sendRandomStep(run: Run, wish: ToolIntent): Promise<boolean> {
  const { random } = run;
  const step = random.whole(1, 100);
  if (step <= 3) await troubleProvider(run, wish);
  if (step <= 8) await reconnect(run);
  if (step <= 35) await preview(run, wish);
  else if (step <= 45) await sendWrongConfirmation(run, wish);
  else return confirm(run, wish, step <= 60 ? random.whole(2, 3) : 1);
  return false;
}

/** Confirms with this wish's newest confirmation, however old, `times` times at once. */
async function confirm(run: Run, wish: ToolIntent, times: number): Promise<boolean> {
  const confirmation = run.confirmations.get(wish) ?? 'none';
  const told = await Promise.all(
    Array.from({ length: times }, () => request(run, wish.tool, { ...wish.args, confirmation })),
  );
  return told.some((each) => each !== null && isDone(each));
}

const isDone = (told: ToolResult): boolean =>
  !told.isError && ['succeeded', 'voided'].includes(String(outcomeOf(told)?.status));

async function preview(run: Run, wish: ToolIntent): Promise<void> {
  const told = await request(run, wish.tool, wish.args);
  if (told && !told.isError) run.confirmations.set(wish, previewOf(told).confirmation);
}

/**
 * Confirms with an invalid confirmation, one of another call, or other arguments than the preview
 * had.
 */
async function sendWrongConfirmation(run: Run, wish: ToolIntent): Promise<void> {
  const { random, confirmations } = run;
  const { tool, args } = wish;
  const latest = confirmations.get(wish) ?? 'none';
  const foreign = [...confirmations].find(([other]) => other !== wish)?.[1] ?? 'none';
  const [asked, confirmation] = random.pick([
    [args, `${latest.slice(0, -3)}AAA`],
    [args, 'yes'],
    [args, foreign],
    [{ ...args, paymentId: '00000000-0000-4000-8000-000000000000' }, latest],
    ...(tool === 'create_refund'
      ? ([
          [{ ...args, amount: Number(args.amount) + 0.01 }, latest],
          [{ ...args, reason: 'other' }, latest],
        ] as const)
      : []),
  ] as const);
  const told = await request(run, tool, { ...asked, confirmation });
  if (told && !told.isError && outcomeOf(told)) {
    run.wrongs.push(`${tool} ${JSON.stringify(asked)} acted on ${confirmation}`);
  }
}

async function reconnect(run: Run): Promise<void> {
  await run.client.close();
  const era = run.random.pick(['auto', 'legacy'] as const);
  run.client = await connectAgent(run.way.url, run.grant, era);
}

/** Makes the provider fail the next call of this kind. */
async function troubleProvider({ fixture, random }: Run, { tool }: ToolIntent): Promise<void> {
  const action = random.pick(['drop_reply', 'drop_request']);
  const path = {
    capture_payment: '/v1/payment_intents/*/capture',
    cancel_payment: '/v1/payment_intents/*/cancel',
    create_refund: '/v1/refunds',
  }[tool];
  await fixture.world.fault({ path, method: 'POST' }, action, { count: 1 });
}

/** Calls a tool; returns null when the response was lost. */
async function request(
  run: Run,
  tool: string,
  args: Record<string, unknown>,
): Promise<ToolResult | null> {
  const fate: CallFate = run.random.pick(['well', 'well', 'well', 'answer_lost', 'never_arrives']);
  run.way.plan(fate);
  count(run, fate);
  try {
    const told = await callTool(run.client, tool, args);
    if (told.code !== null && told.code !== 'payment_not_found' && !expected.has(told.code)) {
      run.wrongs.push(`${tool} was refused ${told.code}`);
    }
    count(run, told.code ?? (told.structured.preview ? 'preview' : 'outcome'));
    if (told.structured.isReplayed === true) count(run, 'replayed');
    return told;
  } catch (error) {
    // Accepts only a connection that was cut.
    const { message, cause } = error as Error;
    if (!/fetch failed|terminated|socket|closed/i.test(`${message} ${String(cause)}`)) throw error;
    count(run, 'cut');
    return null;
  }
}

function count({ seen }: Run, what: string): void {
  seen[what] = (seen[what] ?? 0) + 1;
}
