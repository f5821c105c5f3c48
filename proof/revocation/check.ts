// Checks one request of a race: compares its response, the rows and the provider's ledger.

import { sql } from '../../service/src/storage/database/sql.ts';
import type { World } from '../../service/test/world.ts';
import type { Move } from './race-plan.ts';

export type MoveResult = {
  readonly move: Move;
  readonly paymentId: string;
  readonly status: number;
  readonly text: string;
};

const find = sql<{ status: string; intent: string; operations: string[]; events: string[] }>(
  'proof_revocation_payment',
  `select p.status, p.provider_intent_id as intent,
     array(select o.state from payment_operations o
       where o.payment_id = p.id and o.kind in ('capture', 'cancel')) as operations,
     array(select e.type from events e where e.resource_id = p.id order by e.sequence) as events
   from payments p where p.id = $1`,
);

/** The codes that the revoked credential gets at any call. */
const refusals = ['authentication_required', 'sign_in_required', 'merchant_role_required'];
const untouched = { state: 'authorized', operations: [], events: ['payment.authorized'] };
const whole = {
  capture: { status: 'succeeded', event: 'item.purchased', entry: 'capture' },
  cancel: { status: 'voided', event: 'payment.authorization_voided', entry: 'void' },
} as const;

export async function judgeMove(
  world: World,
  { move, paymentId, status, text }: MoveResult,
): Promise<{ violations: string[]; outcome: string }> {
  const [row] = await world.database.read(find, [paymentId]);
  if (!row) return { violations: ['the payment is gone'], outcome: 'gone' };
  const { intent, status: state, operations, events } = row;
  const stands = { state, operations, events };
  const entries = (await world.ledger(intent)).map(({ kind }) => kind);
  const shown = JSON.stringify({ status, code: codeOf(text), ...stands, entries });
  const violations: string[] = [];
  const requireRule = (holds: boolean, what: string) => {
    if (!holds) violations.push(`${what}: ${shown}`);
  };
  if (status === 200) {
    const end = whole[move.kind];
    requireRule(move.when === 'early', 'moved money after its credential had ended');
    requireRule(state === end.status, 'answered 200 and is not settled');
    requireRule(operations.join() === 'succeeded', 'not one operation that succeeded');
    requireRule(events.at(-1) === end.event && events.length === 2, 'not one event');
    requireRule(
      entries.filter((one) => one === end.entry).length === 1,
      'not once at the provider',
    );
    return { violations, outcome: 'wholly before' };
  }
  requireRule(refusals.includes(codeOf(text)) && status < 404, 'refused otherwise');
  requireRule(
    JSON.stringify(stands) === JSON.stringify(untouched),
    'refused, and something is recorded',
  );
  const isMoved = entries.some((one) => one === 'capture' || one === 'void');
  requireRule(!isMoved, 'refused, and the provider moved it');
  return { violations, outcome: 'wholly after' };
}

const codeOf = (text: string): string => /"code":"(\w+)"/.exec(text)?.[1] ?? '';
