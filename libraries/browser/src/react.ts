'use client';

// CardSetup for React 18 and later: a thin component over the one class.

// biome-ignore lint/style/noRestrictedImports: the merchant's React, an optional peer of this file alone.
import * as React from 'react';
import { CardSetup as Setup } from './card-setup.ts';
import type {
  CardSetupCallbacks,
  CardSetupLooks,
  CardSetupOptions,
  SetupResult,
} from './card-setup-types.ts';
import { SvcError } from './svc-error.ts';
import type { FormField } from './wire.ts';

export type CardSetupProps = CardSetupOptions & {
  readonly id?: string;
  readonly className?: string;
  readonly style?: React.CSSProperties;
};

export type CardSetupHandle = {
  submit(wish?: { readonly signal?: AbortSignal }): Promise<SetupResult>;
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
] as const;

/** Callbacks that call whatever the newest render gave. */
function newest(props: React.RefObject<CardSetupProps>): CardSetupCallbacks {
  const entries = callbackNames.map((name) => [
    name,
    (given: never) => (props.current?.[name] as ((given: never) => void) | undefined)?.(given),
  ]);
  return Object.fromEntries(entries) as CardSetupCallbacks;
}

function looksOf(props: CardSetupProps): CardSetupLooks {
  const { appearance, locale, fields, brands, autoAdvance, autofocus, texts, title } = props;
  const all = { appearance, locale, fields, brands, autoAdvance, autofocus, texts, title };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const unmounted = (): Promise<SetupResult> =>
  Promise.resolve({
    type: 'error',
    error: new SvcError('validation_error', 'form_not_mounted', {
      message: 'The card form is not there. Render it first.',
    }),
    challenge: null,
  });

/** Another `sessionId`, `nonce` or `baseUrl` shows another form; everything else keeps what is typed. */
export const CardSetup: React.ForwardRefExoticComponent<
  CardSetupProps & React.RefAttributes<CardSetupHandle>
> = React.forwardRef<CardSetupHandle, CardSetupProps>(function CardSetup(props, ref) {
  const { baseUrl, sessionId, nonce, id, className, style } = props;
  const host = React.useRef<HTMLDivElement>(null);
  const setup = React.useRef<Setup | null>(null);
  const leaving = React.useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = React.useRef(props);
  const shown = React.useRef('');
  const identity = JSON.stringify([baseUrl, sessionId, nonce]);
  const looks = JSON.stringify(looksOf(props));

  React.useLayoutEffect(() => {
    latest.current = props;
  });
  React.useEffect(() => {
    // StrictMode takes every effect back at once and runs it again: the form outlives that.
    clearTimeout(leaving.current);
    if (shown.current !== identity) {
      setup.current?.destroy();
      const { challengeTimeoutMs, styleNonce } = latest.current;
      setup.current = new Setup({
        ...looksOf(latest.current),
        ...(challengeTimeoutMs === undefined ? {} : { challengeTimeoutMs }),
        ...(styleNonce === undefined ? {} : { styleNonce }),
        ...newest(latest),
        baseUrl,
        sessionId,
        nonce,
      });
      shown.current = identity;
    }
    if (host.current) setup.current?.mount(host.current);
    return () => {
      leaving.current = setTimeout(() => {
        setup.current?.destroy();
        setup.current = null;
        shown.current = '';
      });
    };
  }, [identity, baseUrl, sessionId, nonce]);
  React.useEffect(() => {
    setup.current?.update(JSON.parse(looks) as CardSetupLooks);
  }, [looks]);
  React.useImperativeHandle(
    ref,
    () => ({
      submit: (wish) => setup.current?.submit(wish) ?? unmounted(),
      focus: (field) => setup.current?.focus(field),
      clear: () => setup.current?.clear(),
    }),
    [],
  );
  return React.createElement('div', { ref: host, id, className, style });
});
