// The first page of a merchant: what needs action, and what is new.

import { addressOf } from '../../kit/addresses.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { movedMoney } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { CodeLine } from '../../kit/parts/code-line.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useRead, useResource } from '../../kit/read.ts';
import { timeLeftText } from '../../kit/times.ts';
import { buyerOf, statusWords, typeNames } from '../../kit/words.ts';
import { aboutPayment, firstPayment, paymentSpec } from '../payments/payments-list.tsx';
import { type Need, readNeeds } from './needs.ts';
import { Numbers } from './numbers.tsx';

export const HomePage = () => (
  <>
    <Title>Home</Title>
    <OpenTasksBlock />
    <Numbers />
    <NewestPayments />
  </>
);

function OpenTasksBlock() {
  const merchant = useMerchant();
  const { clientId, role, zone } = merchant;
  const key = `${clientId} ${role} needs`;
  const { content, failure, again } = useRead(key, () => readNeeds(merchant));
  const list = content?.list;
  return (
    <Block title="Needs you">
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {list?.length === 0 && <p class="fine">Nothing needs you.</p>}
      {list && list.length > 0 && (
        <>
          <p class="fine">
            What stops every payment is on top, then the earliest deadline. All times {zone}.
          </p>
          <ul class="cards lined" aria-label="Needs you">
            {list.map((need) => (
              <NeedRow key={need.key} need={need} />
            ))}
          </ul>
        </>
      )}
      {content?.more.map(({ text, href }) => (
        <p key={href} class="fine">
          <a href={href}>{text}</a>
        </p>
      ))}
    </Block>
  );
}

function leftWords(due: string): string {
  const left = timeLeftText(due, serviceTime());
  return left === 'over' ? 'overdue' : left;
}

const NeedRow = ({ need: { text, who, href, due, act = 'Open' } }: { need: Need }) => (
  <li class="card">
    <a class="row-link" href={href}>
      {text}
      {who && <span class="need-who"> · {who}</span>}
    </a>
    {due && (
      <p class="fine">
        {leftWords(due)} (<InstantText at={due} />)
      </p>
    )}
    {/* The whole row is the link, whose name has the act already. */}
    <span class="card-act" aria-hidden="true">
      {act} ›
    </span>
  </li>
);

function NewestPayments() {
  const merchant = useMerchant();
  const { content, failure, again } = useResource('GET /v1/payments', { limit: 8 });
  if (content?.data.length === 0) return <FirstPayment />;
  return (
    <Block title="Newest payments">
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={3} />}
      {content && (
        <>
          <ul class="cards lined" aria-label="Newest payments">
            {content.data.map((row) => (
              <li key={row.id} class="card">
                <a class="row-link" href={paymentSpec.hrefOf(row, merchant)}>
                  {movedMoney(row)} <Tag words={statusWords(row)} />
                  <span class="unseen"> {aboutPayment(row)}</span>
                </a>
                <p class="fine">
                  {typeNames[row.type]} · {buyerOf(row) ?? 'No address'} ·{' '}
                  <InstantText at={row.createdAt} />
                </p>
              </li>
            ))}
          </ul>
          <p class="fine">
            <a href={addressOf(merchant.clientId, 'payments')}>All payments</a>
          </p>
        </>
      )}
    </Block>
  );
}

function FirstPayment() {
  const merchant = useMerchant();
  const { clientId } = merchant;
  return (
    <Block title="Your first payment">
      <p>
        Open a checkout session for one of your products, and pay it with the card 4242 4242 4242
        4242:
      </p>
      <CodeLine about="the command">{firstPayment(clientId)}</CodeLine>
      {mayDo(merchant, 'settings.write') && (
        <p class="fine">
          <a href={addressOf(clientId, 'go-live')}>What else is needed before real money</a>
        </p>
      )}
    </Block>
  );
}
