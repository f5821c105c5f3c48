import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showListedDispute } from '../../engine/steps/disputes/show-dispute.ts';
import { findDisputeRow } from '../../storage/payments/dispute-lists.ts';

/** Reads one dispute. Contract §2. Refuses dispute_not_found, for another merchant's too. */
export const getDispute = implement(rows.getDispute)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const dispute = await findDisputeRow(ports.database, server.clientId, input.disputeId);
  if (!dispute) return refuse('dispute_not_found');
  return { status: 200, body: showListedDispute(dispute, server) };
});
