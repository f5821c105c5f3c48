// The merchant's accounts at card provider and wallet: mode, keys and the provider's notices, as the service sees them.

import type { ProviderAccount } from '@svc/contract/settings/provider-accounts';
import { useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { Tag } from '../../kit/parts/bits.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { Bones, Empty, Trouble } from '../../kit/parts/states.tsx';
import { SaidAt, Time } from '../../kit/parts/time.tsx';
import { useResource } from '../../kit/read.ts';
import type { AnswerFor } from '../../kit/rows.ts';
import { checkVerdict, keyWords, modeWords, noticeWords, type Saying } from './provider-words.ts';

export function ProviderSection() {
  const { content, failure, again } = useResource('GET /v1/provider-accounts', {});
  return (
    <Block
      title="Card provider"
      intro="Where your buyers’ money is collected. The operator of this service adds accounts and stores their keys."
      isBusy={!content && !failure}
    >
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={3} />}
      {content?.data.length === 0 && (
        <Empty title="No account yet">
          <p>
            Nobody can pay before there is one. The operator adds it by{' '}
            <code>svc gateways create</code>: <a href="/guides/go-live">From a clone to money</a>.
          </p>
        </Empty>
      )}
      {content?.data.map((account) => (
        <Account key={account.id} account={account} again={again} />
      ))}
    </Block>
  );
}

const names = { cardprovider: 'Cards', wallet: 'Wallet' } as const;

type AccountProps = {
  readonly account: ProviderAccount;
  readonly again: () => Promise<void>;
};

function Account({ account, again }: AccountProps) {
  const { provider, accountId, active, countries, mode, keys, notices } = account;
  return (
    <section class="block-part" aria-label={`Account ${accountId}`}>
      <Pairs
        facts={[
          ['Account', <CopiedText key="account" text={accountId} about="the account" />],
          ['For', active ? names[provider] : `${names[provider]}: takes no new payments`],
          countries.length > 0 ? ['Buyers in', countries.join(', ')] : null,
          ['Mode', modeWords[mode]],
          ['Keys', <Said key="keys" {...keyWords(keys)} />],
          keys.checkedAt ? ['Last checked', <Time key="checked" at={keys.checkedAt} />] : null,
          ['Notices', <Said key="notices" {...noticeWords(notices)} />],
        ]}
      />
      {provider === 'cardprovider' && <KeyCheck id={account.id} again={again} />}
    </section>
  );
}

type Checks = AnswerFor<'POST /v1/provider-accounts/{id}/check'>['checks'];

/** Tries the stored keys now. What is wrong is shown in full, because the person passes it to the operator. */
function KeyCheck({ id, again }: { readonly id: string; readonly again: () => Promise<void> }) {
  const merchant = useMerchant();
  const [checks, setChecks] = useState<Checks | null>(null);
  if (!mayDo(merchant, 'settings.write')) return null;
  const { clientId } = merchant;
  const check = async () => {
    setChecks(null);
    const checked = await call('POST /v1/provider-accounts/{id}/check', { id }, { clientId });
    setChecks(checked.checks);
    await again();
  };
  return (
    <>
      <div role="status">{checks && <Verdict checks={checks} />}</div>
      <div class="ways">
        <ActionButton failed="The keys could not be checked" onAction={check}>
          Check the keys now
        </ActionButton>
        <span class="fine">No money moves.</span>
      </div>
    </>
  );
}

function Verdict({ checks }: { readonly checks: Checks }) {
  const { isWell, text } = checkVerdict(checks);
  const told = checks.filter(({ result }) => result !== 'good');
  return (
    <div class={isWell ? 'hook-tested' : 'hook-trouble'}>
      <strong>{text}</strong>
      {told.length > 0 && (
        <ul>
          {told.map(({ what, detail }) => (
            <li key={what}>
              {what}: {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const Said = ({ words, at, text }: Saying) => (
  <>
    <Tag words={words} />
    {at && (
      <>
        {' '}
        <SaidAt said={at.said} at={at.at} />
      </>
    )}
    {text && <p class="fine">{text}</p>}
  </>
);
