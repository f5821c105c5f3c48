// The audit log of a merchant.

import { AuditLog } from '../../kit/audit/audit.tsx';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { beginOf } from '../../kit/zone.ts';
import { merchantActions, merchantActionWords } from './audit-actions.ts';
import { listMembers } from './members.tsx';

export function AuditSection() {
  const merchant = useMerchant();
  const { clientId } = merchant;
  return (
    <AuditLog
      read={(query) => call('GET /v1/audit-entries', {}, { clientId, query })}
      title="Audit log"
      intro="Every change to people, tokens, applications, settings and money, and the person or program that made it. Nobody can change or remove an entry."
      actions={merchantActions}
      words={merchantActionWords}
      who={mayDo(merchant, 'people.write') ? () => listMembers(clientId) : 'authors'}
      startOf={(day) => beginOf(day, merchant.zone)}
    />
  );
}
