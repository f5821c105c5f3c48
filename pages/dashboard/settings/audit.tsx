// The audit log of a merchant.

import { AuditLog } from '../../kit/audit/audit.tsx';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { beginOf } from '../../kit/zone.ts';
import type { MerchantCalls } from '../frame/merchant-calls.ts';
import { merchantActions, merchantActionWords } from './audit-actions.ts';

export function AuditSection({ calls }: { calls: MerchantCalls }) {
  const merchant = useMerchant();
  return (
    <AuditLog
      read={calls.listAuditEntries}
      title="Audit log"
      intro="Every change to people, tokens, applications, settings and money, with who made it. Nobody can change or remove an entry."
      actions={merchantActions}
      words={merchantActionWords}
      who={mayDo(merchant, 'people.write') ? calls.listMembers : 'authors'}
      startOf={(day) => beginOf(day, merchant.zone)}
    />
  );
}
