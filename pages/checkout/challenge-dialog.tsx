// The bank's challenge in a dialog over the form. This page cannot see what the buyer does there: the
// status reports the end, or earlier the frame, when the bank sends it back here. Contract §3, Process;
// experience: 3DS.

import { useSignal } from '@preact/signals';
import { keepTab } from '@svc/browser/keep-tab';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatAmount } from '../kit/amounts.ts';
import { BankIcon } from '../kit/icons.tsx';
import { listenForReturn } from './state/arrival.ts';
import type { Checkout } from './state/checkout.ts';
import type { Language, Texts } from './texts/index.ts';
import { localeOf } from './texts/locale.ts';

type DialogProps = { checkout: Checkout; url: string; language: Language };

export function ChallengeDialog({ checkout, url, language }: DialogProps) {
  const { texts } = language;
  const dialog = useRef<HTMLDialogElement>(null);
  const isStopping = useSignal(false);

  useEffect(() => {
    const box = dialog.current;
    box?.showModal();
    return () => box?.close();
  }, []);

  const askToStop = () => {
    isStopping.value = true;
    // Browsers close a dialog at the second Escape whatever the page does.
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  return (
    <dialog
      ref={dialog}
      class="bank"
      aria-labelledby="bank-title"
      onCancel={(event) => {
        event.preventDefault();
        askToStop();
      }}
      onKeyDown={(event) => keepTab(event, event.currentTarget)}
      onClose={() => checkout.view.value.name === 'confirming' && askToStop()}
    >
      <header class="bank-head">
        <BankIcon size={22} />
        <h2 id="bank-title">
          {texts.confirming}
          <Payee checkout={checkout} language={language} />
        </h2>
        <button type="button" class="quiet" onClick={askToStop} aria-expanded={isStopping.value}>
          {texts.cancel}
        </button>
      </header>
      {isStopping.value && (
        <StopQuestion
          texts={texts}
          onStop={() => void checkout.stopAsking()}
          onStay={() => (isStopping.value = false)}
        />
      )}
      <BankFrame checkout={checkout} url={url} texts={texts} />
      <p class="bank-foot">
        {texts.confirmingTrouble}{' '}
        <button type="button" class="link" onClick={() => checkout.leaveForBank()}>
          {texts.confirmingHere}
        </button>
      </p>
    </dialog>
  );
}

type PayeeProps = Pick<DialogProps, 'checkout' | 'language'>;

/** The payee and the amount, so that the buyer can compare them with the bank's page. */
function Payee({ checkout, language }: PayeeProps) {
  const { merchant, totals } = checkout.session.value ?? {};
  if (!merchant) return null;
  const amount = totals && formatAmount(totals.total, totals.currency, localeOf(language));
  return (
    <span class="bank-payee" translate={false}>
      {' '}
      <bdi>{merchant.name}</bdi>
      {amount && ` · ${amount}`}
    </span>
  );
}

type FrameProps = { checkout: Checkout; url: string; texts: Texts };

function BankFrame({ checkout, url, texts }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const isLoaded = useSignal(false);

  useEffect(() => {
    if (!frame.current) return;
    const stopListening = listenForReturn(frame.current, (chv) => void checkout.noteReturn(chv));
    // This page's policy blocks the bank's page: it opens in this window in place of an empty frame.
    const openInTab = ({ effectiveDirective, disposition }: SecurityPolicyViolationEvent) => {
      // A report-only policy blocks nothing.
      const isBlocked = effectiveDirective === 'frame-src' && disposition === 'enforce';
      if (isBlocked) checkout.leaveForBank();
    };
    document.addEventListener('securitypolicyviolation', openInTab);
    frame.current.src = url;
    return () => {
      stopListening();
      document.removeEventListener('securitypolicyviolation', openInTab);
    };
  }, []);
  return (
    <div class="bank-page">
      {!isLoaded.value && (
        <p class="bank-wait" role="status">
          <span class="spinner" aria-hidden="true" /> {texts.confirmingWait}
        </p>
      )}
      <iframe
        ref={frame}
        title={texts.confirmingFrame}
        referrerpolicy="no-referrer"
        allow="payment; publickey-credentials-get"
        // The event also fires for the empty frame, before it has an address.
        onLoad={() => {
          if (frame.current?.src) isLoaded.value = true;
        }}
      />
    </div>
  );
}

type StopProps = { texts: Texts; onStop: () => void; onStay: () => void };

function StopQuestion({ texts, onStop, onStay }: StopProps) {
  const stay = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => stay.current?.focus(), []);
  return (
    <div class="stop" role="alertdialog" aria-labelledby="stop-title" aria-describedby="stop-text">
      <strong id="stop-title">{texts.stopTitle}</strong>
      <p id="stop-text">{texts.stopText}</p>
      <div class="stop-ways">
        <button type="button" class="second" ref={stay} onClick={onStay}>
          {texts.stopNo}
        </button>
        <button type="button" class="second danger" onClick={onStop}>
          {texts.stopYes}
        </button>
      </div>
    </div>
  );
}
