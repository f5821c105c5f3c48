import type { OperationKind } from '../../domain/payments/operation.ts';
import type { RequestInitiator } from '../audit-log/request-initiator.ts';

export type ClaimRequest = {
  readonly kind: Extract<OperationKind, 'capture' | 'cancel'>;
  readonly clientId: string;
  readonly paymentId: string;
  readonly idempotencyKey: string;
  readonly rawSha256: Buffer;
  readonly canonSha256: Buffer;
  readonly requestId: string;
  readonly asker: RequestInitiator;
  /**
   * True when this very request claimed before and another process took the operation over: the
   * request then gets its result in any case.
   */
  readonly isUnderway: boolean;
  /** The id for a new operation; it and the lease owner are made once per request. */
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
};
