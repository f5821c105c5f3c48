// The merchant's accounts at card provider and wallet: mode, keys and the provider's notices, as the service sees them.

import type { ProviderAccount } from '@svc/contract/settings/provider-accounts';
import { Tag } from '../../kit/parts/bits.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { Bones, Empty, Trouble } from '../../kit/parts/states.tsx';
import { SaidAt } from '../../kit/parts/time.tsx';
import { useResource } from '../../kit/read.ts';
import { keyWords, modeWords, noticeWords, type Saying } from './provider-words.ts';

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
        <Account key={account.id} account={account} />
      ))}
    </Block>
  );
}

const names = { cardprovider: 'Cards', wallet: 'Wallet' } as const;

function Account({ account }: { account: ProviderAccount }) {
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
          ['Notices', <Said key="notices" {...noticeWords(notices)} />],
        ]}
      />
    </section>
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
