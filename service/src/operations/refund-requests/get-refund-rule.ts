import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showRefundRule } from '../../engine/steps/refund-requests/show-refund-rule.ts';
import { findRule } from '../../storage/refund-requests/refund-rules.ts';

/** Returns the merchant's rule, and what the caller has used of it. Additions §2, Refund rule. */
export const getRefundRule = implement(rows.getRefundRule)(async (_input, caller, ports) => {
  const server = requireServer(caller);
  const rule = await findRule(ports.database, server.clientId);
  return { status: 200, body: await showRefundRule(ports.database, rule, server) };
});
