// Lets the sandbox move the service's clock together with its own. Not served in live mode.

import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Ports } from '../../engine/ports.ts';
import { setClock } from '../../engine/steps/sandbox/set-clock.ts';
import { type Body, noBody } from '../wire/body.ts';

const tenYearsMs = 315_360_000_000;

function readShift({ value }: Body): number {
  const { shiftMs, ...rest } = value;
  const [param = 'shiftMs'] = Object.keys(rest);
  const isShift = Number.isInteger(shiftMs) && Math.abs(Number(shiftMs)) <= tenYearsMs;
  if (!isShift || param !== 'shiftMs') throw new Refusal('invalid_request', { param });
  return Number(shiftMs);
}

export function serveSandboxClock(app: FastifyInstance, key: string, ports: Ports): void {
  const expected = hash('sha256', `Bearer ${key}`, 'buffer');
  app.post('/internal/sandbox/clock', {
    onRequest: async ({ headers }) => {
      const given = hash('sha256', headers.authorization ?? '', 'buffer');
      if (!timingSafeEqual(given, expected)) throw new Refusal('authentication_required');
    },
    handler: async (request, reply) => {
      const shiftMs = readShift((request.body as Body | undefined) ?? noBody);
      const moved = await setClock(shiftMs, ports);
      // Much work may have become due at once: a person who moves the clock should not wait for the
      // next poll.
      ports.nudge('moved-clock');
      return reply.send(moved);
    },
  });
}
