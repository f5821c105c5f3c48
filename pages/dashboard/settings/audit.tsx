// The audit log of a merchant.

import { AuditLog } from '../../account/audit.tsx';
import { mayDo, useMerchant } from '../merchant.ts';
import type { MerchantCalls } from '../merchant-calls.ts';
import { beginOf } from '../zone.ts';
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
