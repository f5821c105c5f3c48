// Receives browsers' reports of what a page's Content-Security-Policy has blocked. Each report
// becomes one log line, and nothing is stored. Reliability §5.4.

import {
  PolicyReportGate,
  policyReportsLimit,
  policyReportsPath,
  policyReportTypes,
  readPolicyReports,
} from '@svc/contract/servers/policy-reports';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { toRefusal } from '../wire/errors.ts';
import type { Log } from '../wire/log.ts';

type Settings = { readonly log: Log; readonly nowMs: () => number };

/** Returns the template of a page's path; null when the path is not one of the service's pages. */
function pageOf(path: string): string | null {
  if (path === '/m') return path;
  const [, first] = /^\/(c|account|dashboard)(?:\/|$)/.exec(path) ?? [];
  return first === undefined ? null : `/${first}/*`;
}

export function servePolicyReports(app: FastifyInstance, { log, nowMs }: Settings): void {
  const gate = new PolicyReportGate(nowMs);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      [...policyReportTypes],
      { parseAs: 'string', bodyLimit: policyReportsLimit },
      (_request, text, done) => done(null, text),
    );
    scope.setErrorHandler(async (error) => {
      const { code } = toRefusal(error);
      if (code === 'body_too_large') {
        throw new Refusal(code, { message: 'The body is over 16 kB.' });
      }
      if (code === 'unsupported_media_type') {
        throw new Refusal(code, { message: `Reports are ${policyReportTypes.join(' or ')}.` });
      }
      throw error;
    });
    const onRequest = async ({ visitor }: { visitor: string }) => {
      const retryAfter = gate.take(visitor);
      if (retryAfter > 0) throw new Refusal('rate_limited', { retryAfter });
    };
    scope.post(policyReportsPath, { onRequest }, async (request, reply) => {
      const reports = typeof request.body === 'string' && readPolicyReports(request.body);
      if (!reports) throw new Refusal('invalid_body', { message: 'The body is not a report.' });
      for (const { path, directive, blocked } of reports) {
        const route = pageOf(path);
        if (route === null) continue;
        const fields = { requestId: request.id, route, directive, blocked };
        log.warn('a page broke its security policy', fields);
      }
      return reply.code(204).send();
    });
  });
}
