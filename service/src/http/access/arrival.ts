import type { FastifyRequest } from 'fastify';
import { readOrigin } from '../wire/cors.ts';

/** The parts of a request that identify the caller. */
export type Arrival = {
  /** The request's socket, the same object for each of its requests. */
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
