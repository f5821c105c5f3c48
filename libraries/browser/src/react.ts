'use client';

// CardSetup and CardPayment for React 18 and later: thin components over one class each.

import * as React from 'react';
import { SvcError } from './api/svc-error.ts';
import type { FormField } from './api/wire.ts';
import { CardSetup as Setup } from './card-setup/card-setup.ts';
import type { CardSetupOptions, SetupResult } from './card-setup/card-setup-types.ts';
import { CardPayment as Payment } from './payments/card-payment.ts';
import type { CardPaymentOptions, CardPaymentResult } from './payments/card-payment-types.ts';

export type {
  CardPaymentCallbacks,
  CardPaymentCancel,
  CardPaymentDecline,
  CardPaymentInput,
  CardPaymentOptions,
  CardPaymentResult,
  CardPaymentSuccess,
} from './payments/card-payment-types.ts';

type Place = {
  readonly id?: string;
  readonly className?: string;
  readonly style?: React.CSSProperties;
};

export type CardSetupProps = CardSetupOptions & Place;
export type CardPaymentProps = CardPaymentOptions & Place;

type Handle<Result> = {
  submit(options?: { readonly signal?: AbortSignal }): Promise<Result>;
  focus(field?: FormField): void;
  clear(): void;
};

export type CardSetupHandle = {
  submit(options?: { readonly signal?: AbortSignal }): Promise<SetupResult>;
  focus(field?: FormField): void;
  clear(): void;
};

export type CardPaymentHandle = {
  /**
   * Pays the session; never rejects. `signal` ends the waiting; a call that the service has already
   * received still counts.
   */
  submit(options?: { readonly signal?: AbortSignal }): Promise<CardPaymentResult>;
  /** Call it inside the user's gesture: iOS opens the keyboard only then. */
  focus(field?: FormField): void;
  clear(): void;
};

const callbackNames = [
  'onReady',
  'onChange',
  'onFocus',
  'onBlur',
  'onEscape',
  'onLoadError',
  'onSuccess',
  'onDecline',
  'onError',
  'onCancel',
  'onWarning',
  'onProcessing',
];

const lookNames = [
  'appearance',
  'locale',
  'fields',
  'brands',
  'autoAdvance',
  'autofocus',
  'texts',
  'title',
];

type PropsRecord = Record<string, unknown>;
type Identity = { readonly baseUrl: string; readonly sessionId: string; readonly nonce: string };
type Form<Result> = Handle<Result> & {
  mount(container: Element): unknown;
  update(changes: object): void;
  destroy(): void;
};

/** Callbacks that call the functions of the newest render. */
const newestCallbacks = (props: React.RefObject<unknown>): PropsRecord =>
  Object.fromEntries(
    callbackNames.map((name) => [
      name,
      (...given: unknown[]) =>
        ((props.current as PropsRecord)[name] as ((...given: unknown[]) => void) | undefined)?.(
          ...given,
        ),
    ]),
  );

const pickProps = (props: PropsRecord, names: readonly string[]): PropsRecord =>
  Object.fromEntries(
    names.map((name) => [name, props[name]]).filter(([, one]) => one !== undefined),
  );

const unmounted = {
  type: 'error',
  error: new SvcError('validation_error', 'form_not_mounted', {
    message: 'The card form is not there. Render it first.',
  }),
};

/**
 * `wishesOf` picks the properties that a submit reads. Each is passed at every render, also when it was
 * removed.
 */
function componentOf<Props extends Identity & Place, Result>(
  name: string,
  Kind: new (options: never) => Form<Result>,
  unsent: object,
  wishesOf: (props: Props) => object,
): React.ForwardRefExoticComponent<Props & React.RefAttributes<Handle<Result>>> {
  const component = React.forwardRef<Handle<Result>, Props>((given, ref) => {
    const props = given as unknown as Props;
    const { baseUrl, sessionId, nonce, id, className, style } = props;
    const host = React.useRef<HTMLDivElement>(null);
    const form = React.useRef<Form<Result> | null>(null);
    const leaving = React.useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
    const latest = React.useRef(props);
    const shown = React.useRef('');
    const identity = JSON.stringify([baseUrl, sessionId, nonce]);
    const looks = JSON.stringify({
      ...pickProps(props as unknown as PropsRecord, lookNames),
      ...wishesOf(props),
    });

    React.useLayoutEffect(() => {
      latest.current = props;
    });
    React.useEffect(() => {
      // StrictMode runs every effect's cleanup at once and then the effect again: the form survives that.
      clearTimeout(leaving.current);
      if (shown.current !== identity) {
        form.current?.destroy();
        const names = [...lookNames, 'challengeTimeoutMs', 'styleNonce'];
        form.current = new Kind({
          ...pickProps(latest.current as unknown as PropsRecord, names),
          ...wishesOf(latest.current),
          ...newestCallbacks(latest),
          baseUrl,
          sessionId,
          nonce,
        } as never);
        shown.current = identity;
      }
      if (host.current) form.current?.mount(host.current);
      return () => {
        leaving.current = setTimeout(() => {
          form.current?.destroy();
          form.current = null;
          shown.current = '';
        });
      };
    }, [identity, baseUrl, sessionId, nonce]);
    React.useEffect(() => {
      form.current?.update(JSON.parse(looks) as object);
    }, [looks]);
    React.useImperativeHandle(
      ref,
      () => ({
        submit: (options) =>
          form.current?.submit(options) ?? Promise.resolve({ ...unmounted, ...unsent } as Result),
        focus: (field) => form.current?.focus(field),
        clear: () => form.current?.clear(),
      }),
      [],
    );
    return React.createElement('div', { ref: host, id, className, style });
  });
  component.displayName = name;
  return component as never;
}

/**
 * Another `sessionId`, `nonce` or `baseUrl` shows another form. Any other change keeps what the buyer
 * typed.
 */
export const CardSetup: React.ForwardRefExoticComponent<
  CardSetupProps & React.RefAttributes<CardSetupHandle>
> = componentOf<CardSetupProps, SetupResult>('CardSetup', Setup, { challenge: null }, () => ({}));

/**
 * The hosted card form of a checkout session, which `submit` pays. Another `sessionId`, `nonce` or
 * `baseUrl` shows another form; any other change keeps what the buyer typed. With `paymentMethodId` a
 * submit pays by that saved card, whatever the form holds.
 */
export const CardPayment: React.ForwardRefExoticComponent<
  CardPaymentProps & React.RefAttributes<CardPaymentHandle>
> = componentOf<CardPaymentProps, CardPaymentResult>(
  'CardPayment',
  Payment,
  {},
  ({ paymentMethodId = null, saveForLater = false, expectedTotal = null }) => ({
    paymentMethodId,
    saveForLater,
    expectedTotal,
  }),
);
