// Receives browsers' reports of violations of the form's Content-Security-Policy, on the form's own origin
// so that no report leaves it. Each report becomes a log line; nothing is stored. Reliability §5.4.
import {
  PolicyReportGate,
  policyReportsLimit,
  policyReportsPath,
  policyReportTypes,
  readPolicyReports,
} from '@svc/contract/servers/policy-reports';
import type { FastifyInstance } from 'fastify';
import { Refusal } from './errors.ts';

export function addPolicyReports(app: FastifyInstance): void {
  const gate = new PolicyReportGate(() => performance.now());
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      [...policyReportTypes],
      { parseAs: 'string', bodyLimit: policyReportsLimit },
      async (_: unknown, text: string) => text,
    );
    const onRequest = async ({ ip }: { ip: string }) => {
      const retryAfterSeconds = gate.take(ip);
      if (retryAfterSeconds > 0) throw new Refusal('rate_limited', { retryAfterSeconds });
    };
    scope.post(policyReportsPath, { onRequest }, async (request, reply) => {
      const reports = typeof request.body === 'string' && readPolicyReports(request.body);
      if (!reports) throw new Refusal('invalid_body');
      for (const { path, directive, blocked } of reports) {
        if (!/^\/form\/\d{1,4}$/.test(path)) continue;
        const fields = { route: '/form/:version', directive, blocked };
        request.log.warn(fields, 'a page broke its security policy');
      }
      return reply.code(204).send();
    });
  });
}
