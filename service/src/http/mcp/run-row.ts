// Runs a row's operation for a tool, and gives its answer in the form that agents read: the same
// fields as the row's HTTP response.

import assert from 'node:assert';
import { refuse } from '../../engine/implement.ts';
import type { ServerCaller } from '../../engine/require-server.ts';
import type { Api } from '../rows/api.ts';
import type { Log } from '../wire/log.ts';
import { serialiserOf } from '../wire/validate.ts';
import type { ServedTool } from './tools.ts';

export type Room = Pick<Api, 'ports' | 'limits'> & { readonly log: Log };

export type ToolAnswer = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
};

/** The answer of an operation, as its callers over HTTP read it. */
export type RowAnswer = {
  readonly body: Record<string, unknown>;
  readonly isReplayed: boolean;
};

/** Runs the row's operation. */
export async function runRow(
  { operation, row, run }: ServedTool,
  input: object,
  { caller, room }: { caller: ServerCaller; room: Room },
): Promise<RowAnswer> {
  const answered = (await run(input as never, caller, room.ports, refuse as never)) as {
    status: number;
    body?: unknown;
    replay?: string;
    isReplayed?: boolean;
  };
  const schema = row.answers[answered.status];
  assert(schema, `${operation} answers ${answered.status} with a body`);
  const text = answered.replay ?? serialiserOf(schema)(answered.body);
  return {
    body: JSON.parse(text) as Record<string, unknown>,
    isReplayed: answered.isReplayed === true,
  };
}

/** The structured content, and the same as text for agents that read only text, with `said` before it. */
export const toolAnswer = (
  structuredContent: Record<string, unknown>,
  said?: string,
): ToolAnswer => ({
  content: [...(said === undefined ? [] : [said]), JSON.stringify(structuredContent)].map(
    (text) => ({ type: 'text', text }),
  ),
  structuredContent,
});

/**
 * An error as text alone: clients check structured content against the tool's `outputSchema`, an
 * error's too, and throw where it does not match (the protocol's SDK 1.x).
 */
export const toolError = (error: object): ToolAnswer => ({
  content: [{ type: 'text', text: JSON.stringify(error) }],
  isError: true,
});
