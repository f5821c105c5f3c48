// A merchant's page in React, for the tests of the component: bundled with React's development build,
// whose StrictMode takes every effect back once.

import { createElement, StrictMode, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  CardPayment,
  type CardPaymentHandle,
  type CardPaymentProps,
  CardSetup,
  type CardSetupHandle,
} from './src/react.ts';

type Identity = {
  readonly baseUrl: string;
  readonly sessionId: string;
  readonly nonce: string;
};

/** What the page gives to its test. */
type Stage = { heard: unknown[][]; rerender(): void; card: { current: CardSetupHandle | null } };

function Page({ identity, stage }: { identity: Identity; stage: Stage }) {
  const [count, setCount] = useState(0);
  const ref = useRef<CardSetupHandle>(null);
  stage.rerender = () => setCount((now) => now + 1);
  stage.card = ref;
  return createElement(CardSetup, {
    ...identity,
    ref,
    id: 'react-card',
    className: 'host',
    appearance: { theme: count > 1 ? 'dark' : 'light' },
    onReady: () => stage.heard.push(['ready']),
    onSuccess: ({ paymentMethodId }) => stage.heard.push(['success', count, paymentMethodId]),
  });
}

/** Shows the card form in #card; answers how to take it away. */
export function render(identity: Identity, stage: Stage): () => void {
  const root = createRoot(document.querySelector('#card') as Element);
  root.render(createElement(StrictMode, null, createElement(Page, { identity, stage })));
  return () => root.unmount();
}

/** The same for paying; its test changes the props. */
type PaymentStage = {
  heard: unknown[][];
  change(props: Partial<CardPaymentProps>): void;
  card: { current: CardPaymentHandle | null };
};

type Checkout = { readonly first: CardPaymentProps; readonly stage: PaymentStage };

function PaymentPage({ first, stage }: Checkout) {
  const [props, change] = useState(first);
  const ref = useRef<CardPaymentHandle>(null);
  stage.change = (changes) => change((now) => ({ ...now, ...changes }));
  stage.card = ref;
  const { heard } = stage;
  return createElement(CardPayment, {
    ...props,
    ref,
    id: 'react-card',
    onReady: () => heard.push(['ready']),
    onSuccess: (body) => heard.push(['success', props.title ?? null, body]),
    onDecline: (decline) => heard.push(['decline', decline]),
    onCancel: (cancel) => heard.push(['cancel', cancel]),
    onProcessing: () => heard.push(['processing']),
    onError: ({ code }) => heard.push(['error', code]),
    onLoadError: (reason) => heard.push(['loaderror', reason]),
  });
}

/** Shows the card form of a checkout in #card; answers how to take it away. */
export function renderPayment(first: CardPaymentProps, stage: PaymentStage): () => void {
  const root = createRoot(document.querySelector('#card') as Element);
  root.render(createElement(StrictMode, null, createElement(PaymentPage, { first, stage })));
  return () => root.unmount();
}
