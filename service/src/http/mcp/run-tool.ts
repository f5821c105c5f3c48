// Runs one call of a tool: authorisation, arguments, operation; and reports errors as the API does.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { ServerCaller } from '../../engine/require-server.ts';
import { authorise } from '../access/authorise.ts';
import type { ReadAgain } from '../access/read-again.ts';
import { errorAnswer, toRefusal } from '../wire/errors.ts';
import { runMoneyTool } from './money-tool.ts';
import { type Arguments, readArguments } from './read-arguments.ts';
import { type Room, runRow, type ToolAnswer, toolAnswer, toolError } from './run-row.ts';
import type { ServedTool } from './tools.ts';

type ToolCall = {
  readonly caller: ServerCaller;
  readonly room: Room;
  readonly readAgain: ReadAgain;
  readonly failed: (code: ErrorCode) => void;
};

/** Never throws; `failed` is called with the error's code. */
export async function runTool(
  tool: ServedTool,
  given: Arguments,
  { caller, room, readAgain, failed }: ToolCall,
): Promise<ToolAnswer> {
  try {
    authorise(tool.row, { caller, sinceProofMs: null });
    if (tool.hint.kind === 'money') {
      return await runMoneyTool(tool, given, { caller, room, hint: tool.hint });
    }
    const input = readArguments(tool, given);
    const { body } = await runRow(tool, input, { caller, room });
    if (tool.hint.kind === 'read') await readAgain();
    return toolAnswer(body);
  } catch (error) {
    const { requestId } = caller;
    const refusal = toRefusal(error);
    failed(refusal.code);
    if (!(error instanceof Refusal)) report(error, tool, { refusal, requestId, room });
    const { baseUrl } = room.ports.settings;
    return toolError(errorAnswer(refusal, { requestId, baseUrl }).body);
  }
}

function report(
  error: unknown,
  { operation }: ServedTool,
  { refusal, requestId, room }: { refusal: Refusal; requestId: string; room: Room },
): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const level = refusal.code === 'internal_error' ? 'error' : 'warn';
  room.log[level]('request failed', { requestId, operation, error: text });
}
