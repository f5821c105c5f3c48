import type { PaymentDifference, Reconciliation } from '@svc/contract/reports/reconciliations';
import type { ReconciliationRow } from '../../../storage/reports/reconciliations.ts';

export const showReconciliation = (row: ReconciliationRow): Reconciliation => ({
  id: row.id,
  beganAt: row.began_at.toISOString(),
  endedAt: row.ended_at.toISOString(),
  isWhole: row.is_whole,
  total: row.total,
  open: row.open,
  differences: row.differences.map((difference) => ({
    ...difference,
    kind: difference.kind as PaymentDifference['kind'],
  })),
});
