// Capture, cancel and refund as an agent's tools. The idempotency key is derived from the caller
// and all arguments, so the same arguments are the same move: a retry, a lost answer, a second
// preview or another conversation gets the first result and never moves money again.

import assert from 'node:assert';
import { hash } from 'node:crypto';
import type { Tool } from '@svc/contract/rows/row';
import { canonicalJson } from '../../domain/protocol/canonical-json.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { ServerCaller } from '../../engine/require-server.ts';
import {
  confirmOperation,
  previewForConfirmation,
} from '../../engine/steps/payments/confirm-operation.ts';
import type { Move } from '../../engine/steps/payments/preview-operation.ts';
import { spendLimit } from '../limits/rate-limited.ts';
import { type Arguments, readArguments } from './read-arguments.ts';
import { type Room, runRow, type ToolAnswer, toolAnswer } from './run-row.ts';
import type { ServedTool } from './tools.ts';

type Hint = Extract<Tool, { kind: 'money' }>;
type MoneyInput = { readonly paymentId: string; readonly body: { readonly amount?: number } };

export async function runMoneyTool(
  tool: ServedTool,
  { confirmation, occurrence, ...given }: Arguments,
  { caller, room, hint }: { caller: ServerCaller; room: Room; hint: Hint },
): Promise<ToolAnswer> {
  const { ports, limits } = room;
  const input = readArguments(tool, given) as unknown as MoneyInput;
  const asked = canonicalJson(JSON.stringify([input.paymentId, input.body]));
  const { amount } = input.body;
  const move: Move = {
    kind: hint.move,
    paymentId: input.paymentId,
    ...(amount === undefined ? {} : { amount }),
    keys: keysOf(tool, asked, { caller, occurrence: readOccurrence(tool, occurrence) }),
  };
  if (confirmation === undefined || confirmation === null) {
    const preview = await previewForConfirmation(move, caller, ports);
    return toolAnswer({ preview }, `Nothing has happened yet. ${preview.effect}`);
  }
  if (typeof confirmation !== 'string') throw new Refusal('confirmation_invalid');
  spendLimit(limits.money, { key: caller.clientId, of: 'requests that move money' });
  const allowed = await confirmOperation(move, confirmation, { caller, ports });
  // The identity is made from what was asked; the amount that was shown is refunded, whatever
  // happened in between.
  const identity = hash('sha256', [tool.operation, asked].join('\n'), 'buffer');
  const outcome = await runRow(
    tool,
    {
      ...input,
      body: hint.move === 'refund' ? { ...input.body, amount: allowed.amount } : input.body,
      idempotencyKey: move.keys.at(-1),
      rawSha256: identity,
      canonSha256: identity,
    },
    { caller, room },
  );
  return toolAnswer({ outcome: outcome.body, isReplayed: outcome.isReplayed });
}

/** Reads which of several equal moves is meant; the tool's own schema states the maximum. */
function readOccurrence({ definition }: ServedTool, given: unknown): number {
  const schema = definition.inputSchema.properties.occurrence;
  if (given === undefined || given === null) return 1;
  const isKnown = schema !== undefined && Number.isInteger(given);
  if (!isKnown || (given as number) < 1 || (given as number) > (schema.maximum as number)) {
    throw new Refusal('invalid_request', {
      param: 'occurrence',
      message: 'The field occurrence must be a whole number from 1 to 10, of refunds only.',
    });
  }
  return given as number;
}

/**
 * Returns one key for each occurrence up to the requested one. The keys are derived from public
 * facts and never change: a key that changed with a secret, or with each consent of the person,
 * would let a retry move money twice. Letters only, because digits in a row can look like a card
 * number.
 */
function keysOf(
  { operation }: ServedTool,
  asked: string,
  { caller, occurrence }: { caller: ServerCaller; occurrence: number },
): [string, ...string[]] {
  const { clientId, userId, applicationId } = caller;
  assert(applicationId, 'an agent is an application');
  const keyOf = (index: number): string => {
    const text = [
      'svc agent v1',
      clientId,
      userId,
      applicationId,
      operation,
      asked,
      index + 1,
    ].join('\n');
    return `agent-${hash('sha256', text, 'hex').replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')}`;
  };
  return [keyOf(0), ...Array.from({ length: occurrence - 1 }, (_, index) => keyOf(index + 1))];
}
