import type { FastifyRequest } from 'fastify';
import { readOrigin } from '../wire/cors.ts';

/** What tells who is calling. */
export type Arrival = {
  /** What the request came on, the same object for each of its requests. */
  readonly connection: object;
  readonly method: string;
  readonly rawHeaders: readonly string[];
  readonly requestId: string;
  readonly address: string;
  readonly origin: string | null;
};

export const arrivalOf = ({ raw, method, id, visitor, headers }: FastifyRequest): Arrival => ({
  connection: raw.socket,
  method,
  rawHeaders: raw.rawHeaders,
  requestId: id,
  address: visitor,
  origin: readOrigin(headers.origin),
});
