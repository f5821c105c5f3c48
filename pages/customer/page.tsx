// Layout of the customer's page: ribbon, way back, the cards, and the form for a new one.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { brandOf } from '../checkout/brand.ts';
import { NoMoney } from '../checkout/no-money.tsx';
import { SellerFoot, SellerHead } from '../checkout/seller.tsx';
import { httpAddress } from '../checkout/state/addresses.ts';
import { AlertIcon, BackIcon, CardIcon, CheckIcon, CrossIcon } from '../kit/icons.tsx';
import { NewsLine } from '../kit/parts/news-line.tsx';
import { AskDialog } from './ask-dialog.tsx';
import { CardList, TroubleBox } from './card-list.tsx';
import type { View } from './customer.ts';
import { DetailsSection } from './details-section.tsx';
import { FindForm } from './find-form.tsx';
import { Payments, Subscriptions } from './purchase-lists.tsx';
import { endQuestion } from './purchase-words.ts';
import {
  askText,
  cardName,
  confirmingText,
  type EndView,
  endText,
  headlineOf,
  isLocked,
  listText,
  mailingText,
  newsText,
  type PartProps,
  windowTitle,
} from './words.ts';

export function CustomerPage({ customer, language }: PartProps) {
  const { texts, own } = language;
  const view = customer.view.value;
  const page = customer.page.value;
  const merchant = page?.merchant ?? null;
  // Set before the page is painted, so that the title is right as soon as the page is visible.
  useLayoutEffect(() => {
    document.title = windowTitle(customer, language);
  }, [view, page, language]);
  const back = page && httpAddress(page.returnUrl?.startsWith('/') ? null : page.returnUrl);
  return (
    <>
      {page && !page.livemode && <NoMoney texts={texts} />}
      <main
        class="page cards-page"
        aria-busy={view === 'loading'}
        style={brandOf(merchant?.brandColor) ?? {}}
      >
        <header class="top">
          {back && merchant && (
            <a class="back" href={back.href}>
              <BackIcon />
              {texts.backTo(merchant.name)}
            </a>
          )}
        </header>
        <SellerHead merchant={merchant} />
        {view === 'loading' && <Bones loading={own.loading} />}
        {view === 'cards' && <Cards customer={customer} language={language} />}
        {view !== 'loading' && view !== 'cards' && (
          <EndPage key={view} customer={customer} view={view} language={language} />
        )}
        <SellerFoot merchant={merchant} texts={texts} />
      </main>
    </>
  );
}

function Cards({ customer, language }: PartProps) {
  const { own } = language;
  const page = customer.page.value;
  const { news, trouble, addition, form, work } = customer;
  const AddCard = form.value?.AddCard;
  const isBlocked = isLocked(customer);
  const isOpening = work.value?.kind === 'adding';
  // Only the removal of a card is refused so.
  const isInUse = trouble.value?.failure.code === 'payment_method_in_use';
  const { title, intro } = listText(customer.cards.value, language);
  const { purchases } = customer;
  const hasBought = purchases.subscriptions.value.length + purchases.payments.value.length > 0;
  const general = trouble.value?.cardId === null ? trouble.value : null;
  return (
    <>
      <h1 class="cards-title">
        {hasBought ? own.titleAll : title}
        {page && (
          <span class="label">
            {own.at(page.merchantName)} · {own.signedAs(page.email)}
          </span>
        )}
      </h1>
      <Subscriptions customer={customer} language={language} />
      {hasBought && <h2 class="part-title">{title}</h2>}
      <p class="fine">{intro}</p>
      <NewsLine
        look="card-news"
        news={news.value}
        text={news.value && newsText(news.value, language)}
      />
      <CardList customer={customer} language={language} />
      {general && (
        <TroubleBox customer={customer} trouble={general} card={null} language={language} />
      )}
      {addition.value && AddCard ? (
        <AddCard
          key={addition.value}
          addition={addition.value}
          page={page}
          replaced={addition.value.replaced && cardName(addition.value.replaced, language)}
          language={language}
          onCancel={() => customer.cancelAddition()}
        />
      ) : (
        // Not shown beside a card that must be replaced first: that card has its own button for it.
        page?.may.add &&
        !isInUse && (
          <button
            type="button"
            class="pay"
            aria-disabled={isBlocked}
            onClick={() => !isBlocked && void customer.add(null)}
          >
            {isOpening && <span class="spinner" aria-hidden="true" />}
            {own.add}
          </button>
        )
      )}
      <Payments customer={customer} language={language} />
      <DetailsSection customer={customer} language={language} />
      <Questions customer={customer} language={language} />
    </>
  );
}

/** What is asked before a card is removed or a subscription ends. */
function Questions({ customer, language }: PartProps) {
  const { purchases } = customer;
  const card = customer.asked.value;
  const subscription = purchases.asked.value;
  return (
    <>
      {card && (
        <AskDialog
          key={card.id}
          question={askText(card, customer, language)}
          onAnswer={(isYes) => (isYes ? void customer.remove(card) : customer.ask(null))}
        />
      )}
      {subscription && (
        <AskDialog
          key={subscription.id}
          question={endQuestion(subscription, language)}
          onAnswer={(isYes) => (isYes ? void purchases.end(subscription) : purchases.ask(null))}
        />
      )}
    </>
  );
}

/** Where a buyer may ask for a link by the address. */
const canFind: ReadonlySet<View> = new Set(['find', 'gone', 'linkOver', 'expired', 'addressOver']);

type EndPageProps = PartProps & { view: EndView };

function iconOf(view: View) {
  if (view === 'find') return <CardIcon size={30} />;
  if (view === 'confirmed') return <CheckIcon />;
  return view === 'unreachable' || view === 'confirm' ? <AlertIcon size={30} /> : <CrossIcon />;
}

function EndPage({ customer, view, language }: EndPageProps) {
  const { texts } = language;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const isUnreachable = view === 'unreachable';
  return (
    <Outcome icon={iconOf(view)}>
      <h1 tabIndex={-1} ref={heading}>
        {headlineOf(view, language)}
      </h1>
      {/* A card may be saved after the page itself has expired. */}
      {customer.news.value && <p>{newsText(customer.news.value, language)}</p>}
      <p>{endText(view, customer, language)}</p>
      {view === 'confirm' && <ConfirmAddress customer={customer} language={language} />}
      {canFind.has(view) && <FindForm customer={customer} language={language} />}
      {view === 'mailOver' && <MailAgain customer={customer} language={language} />}
      {isUnreachable && (
        <button type="button" class="pay" onClick={() => void customer.load()}>
          {texts.retry}
        </button>
      )}
    </Outcome>
  );
}

/** A press mails another link: a page that is loaded alone, such as by a mail scanner, mails nothing. */
function MailAgain({ customer, language }: PartProps) {
  const { mailing } = customer;
  return (
    <>
      <p role="status">{mailingText(customer, language)}</p>
      {mailing.value !== 'mailed' && (
        <button
          type="button"
          class="pay"
          aria-disabled={mailing.value === 'asking'}
          onClick={() => void customer.mailLink()}
        >
          {mailing.value === 'asking' && <span class="spinner" aria-hidden="true" />}
          {language.own.mailAgain}
        </button>
      )}
    </>
  );
}

/** The press that makes the address the customer's: loading the page alone changes nothing. */
function ConfirmAddress({ customer, language }: PartProps) {
  const isAsking = customer.confirming.value === 'asking';
  return (
    <>
      <p role="status">{confirmingText(customer, language)}</p>
      <button
        type="button"
        class="pay"
        aria-disabled={isAsking}
        onClick={() => void customer.confirmAddress()}
      >
        {isAsking && <span class="spinner" aria-hidden="true" />}
        {language.own.confirmYes}
      </button>
    </>
  );
}

const Outcome = ({ icon, children }: { icon: ComponentChildren; children: ComponentChildren }) => (
  <section class="panel first outcome plain">
    <span class="seal" aria-hidden="true">
      {icon}
    </span>
    {children}
  </section>
);

const Bones = ({ loading }: { loading: string }) => (
  <>
    <p class="unseen" role="status">
      {loading}
    </p>
    <div aria-hidden="true">
      <span class="bone bone-small" />
      <span class="bone bone-field" />
      <span class="bone bone-field" />
    </div>
  </>
);
