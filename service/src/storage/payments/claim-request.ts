import type { OperationKind } from '../../domain/payments/operation.ts';
import type { RequestInitiator } from '../accounts/request-initiator.ts';

export type ClaimRequest = {
  readonly kind: Extract<OperationKind, 'capture' | 'cancel'>;
  readonly clientId: string;
  readonly paymentId: string;
  readonly idempotencyKey: string;
  readonly rawSha256: Buffer;
  readonly canonSha256: Buffer;
  readonly requestId: string;
  readonly asker: RequestInitiator;
  /** This very request claimed before, and somebody took it over: it is answered in any case. */
  readonly isUnderway: boolean;
  /** Id for a new operation, and the owner of the lease: made once per request. */
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
};
