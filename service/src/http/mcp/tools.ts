// The tools of `/mcp`: one for each row of the contract that states how an agent may call it.

import assert from 'node:assert';
import type { ErrorCode } from '@svc/contract/errors/errors';
import type { RowShape, Tool } from '@svc/contract/rows/row';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { ServerCaller } from '../../engine/require-server.ts';
import { acceptsCredential, authorise } from '../access/authorise.ts';
import type { OperationTable, RowTable } from '../rows/api.ts';
import { argumentsSchema, type JsonSchema, type ObjectSchema, plainSchema } from './tool-schema.ts';

export type ServedTool = {
  readonly name: string;
  /** The row's name, as it appears in the log. */
  readonly operation: string;
  /** The row with the tool's `scope`, which may be stricter than the row's own. */
  readonly row: RowShape;
  readonly hint: Tool;
  readonly run: OperationTable[string];
  /** The entry in `tools/list`. */
  readonly definition: ToolDefinition;
};

type ToolDefinition = {
  readonly name: string;
  /** What a person reads where the agent asks for leave to call the tool. */
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
};

/** Returns the tools by name. */
export function openTools(
  rows: RowTable,
  operations: OperationTable,
): ReadonlyMap<string, ServedTool> {
  const tools = Object.entries(rows).flatMap(([operation, row]) => {
    const run = operations[operation];
    if (!row.tool || !run) return [];
    return [openTool({ operation, row, hint: row.tool, run })];
  });
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function openTool(given: Pick<ServedTool, 'operation' | 'row' | 'hint' | 'run'>): ServedTool {
  const { operation, hint } = given;
  assert(acceptsCredential(given.row.auth, 'bearer'), `a token may call ${operation}`);
  const scope = hint.kind === 'money' ? hint.scope : given.row.scope;
  // The tool is called at /mcp, which also admits tokens for /mcp alone.
  const body = hint.kind === 'write' ? hint.body : undefined;
  const input = body ? { ...given.row.input, body } : given.row.input;
  const row: RowShape = { ...given.row, input, scope, auth: 'bearer' };
  // A row without a scope is open to every token, but each tool must be granted to an agent by a scope.
  assert(row.scope !== null, `the tool ${operation} asks for a scope`);
  const name = operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { ...given, row, name, definition: define(name, row, hint) };
}

function define(name: string, row: RowShape, hint: Tool): ToolDefinition {
  const isMoney = hint.kind === 'money';
  return {
    name,
    title: titleOf(name),
    description: describe(row, hint),
    inputSchema: argumentsSchema(row, isMoney ? moneyArguments(hint.move) : {}),
    outputSchema: isMoney ? moneyAnswer(answerOf(row)) : answerOf(row),
    annotations: {
      readOnlyHint: hint.kind === 'read',
      destructiveHint: isMoney,
      // The same arguments are the same move, however often they are sent.
      idempotentHint: hint.kind !== 'write',
      openWorldHint: isMoney,
    },
  };
}

/** `list_webhook_endpoints` -> `List webhook endpoints`. */
const titleOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ');

/**
 * Errors that an agent with this tool never gets: the missing scope, because the tool is not shown
 * without it; keys, which the tool makes itself; and bodies, because the tool passes none of their
 * fields.
 */
const unmet: ReadonlySet<ErrorCode> = new Set([
  'insufficient_scope',
  'idempotency_key_required',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'invalid_body',
  'partial_capture_not_supported',
]);

function describe(row: RowShape, hint: Tool): string {
  const refused = new Set<ErrorCode>(['invalid_request', ...row.refuses]);
  if (hint.kind === 'money') refused.add('confirmation_invalid').add('confirmation_outdated');
  return [
    row.summary,
    ...(hint.kind === 'money'
      ? [
          'Takes two calls: the first moves nothing and answers a preview with a confirmation; show the preview to the person, then call again with the same arguments and the confirmation. Repeating that call is safe and answers the same result.',
        ]
      : []),
    `Scope: ${row.scope}.`,
    ...(row.refuses.includes('merchant_role_required') ? ['Role: owner or admin.'] : []),
    `May refuse: ${[...refused].filter((code) => !unmet.has(code)).join(', ')}.`,
  ].join(' ');
}

/** Returns the only body that the row answers with. */
function answerOf(row: RowShape): ObjectSchema {
  const [schema, ...others] = Object.values(row.answers).filter((each) => each !== null);
  assert(schema && others.length === 0, 'a tool answers one kind of body');
  const { properties = {}, required = [] } = plainSchema(schema) as Partial<ObjectSchema>;
  return { type: 'object', properties, required };
}

const confirmation: JsonSchema = {
  type: 'string',
  maxLength: 400,
  description:
    'From the preview of this same call, once the person has agreed. Valid for ten minutes.',
};
const occurrence: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: 10,
  default: 1,
  description:
    'Normally left out. 2 makes a second refund equal to the first one, and so on. Never use it to retry.',
};

const moneyArguments = (move: string): Readonly<Record<string, JsonSchema>> => ({
  ...(move === 'refund' ? { occurrence } : {}),
  confirmation,
});

/** Either `preview` or `outcome`. */
const moneyAnswer = (outcome: ObjectSchema): ObjectSchema => ({
  type: 'object',
  properties: {
    preview: {
      type: 'object',
      description: 'Nothing has happened yet.',
      properties: {
        effect: { type: 'string' },
        paymentId: { type: 'string' },
        status: { type: 'string' },
        amount: { type: 'number', description: 'Major units.' },
        currency: { type: 'string' },
        customer: {
          type: 'object',
          properties: {
            userId: { type: ['string', 'null'] },
            externalId: { type: ['string', 'null'] },
            email: { type: ['string', 'null'] },
          },
        },
        amountRefunded: { type: 'number' },
        amountRefundable: { type: 'number' },
        earlier: {
          type: 'array',
          description: 'The same call, made before.',
          items: {
            type: 'object',
            properties: {
              occurrence: { type: 'integer' },
              at: { type: 'string' },
              amount: { type: 'number' },
              state: { type: 'string' },
              status: { type: 'string' },
            },
          },
        },
        confirmation: { type: 'string' },
        confirmationExpiresAt: { type: 'string' },
      },
      required: ['effect', 'paymentId', 'confirmation', 'confirmationExpiresAt'],
    },
    outcome,
    isReplayed: { type: 'boolean', description: 'The stored result of the first such call.' },
  },
  required: [],
});

/** Returns whether the caller's token and role allow the tool. */
export function isOpenTo({ row }: ServedTool, caller: ServerCaller): boolean {
  try {
    authorise(row, { caller, sinceProofMs: null });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
