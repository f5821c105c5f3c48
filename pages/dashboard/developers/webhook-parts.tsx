// Components that the webhook pages share: payloads, headers, states, results.

import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { CopyButton, SecretOnce } from '../../kit/parts/inputs.tsx';
import { SaidAt } from '../../kit/parts/time.tsx';
import type { Words } from '../../kit/words.ts';
import { prettyJson } from './webhook-payload.ts';
import { adviceFor, outcomeWords } from './webhook-words.ts';

type ScrollProps = { readonly label: string; readonly children: ComponentChildren };

/** Machine-readable text in a box that scrolls by itself, with the keyboard too. */
export const ScrollBox = ({ label, children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <fieldset class="code-box" aria-label={label} tabIndex={0}>
    {children}
  </fieldset>
);

/** A body, indented or byte for byte. */
export function Payload({ text }: { text: string }) {
  const [isRaw, setRaw] = useState(false);
  const pretty = prettyJson(text);
  const name = useId();
  return (
    <div class="payload">
      <div class="ways">
        {pretty !== null && (
          <fieldset class="turns">
            <legend class="unseen">Shown as</legend>
            <label>
              <input type="radio" name={name} checked={!isRaw} onChange={() => setRaw(false)} />
              Indented
            </label>
            <label>
              <input type="radio" name={name} checked={isRaw} onChange={() => setRaw(true)} />
              Raw
            </label>
          </fieldset>
        )}
        <CopyButton text={text} about="the payload" />
      </div>
      <ScrollBox label="Payload">{isRaw || pretty === null ? text : pretty}</ScrollBox>
    </div>
  );
}

type HeaderProps = {
  /** The line before the headers, such as `POST https://…`. */
  readonly first: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
};

export const HeaderLines = ({ first, lines }: HeaderProps) => (
  <ScrollBox label="Headers">
    {[first, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\n')}
  </ScrollBox>
);

type Outcome = { readonly status: number | null; readonly error: string | null };

export const OutcomeLine = ({ outcome }: { outcome: Outcome }) => (
  <>
    {outcomeWords(outcome) && <p class="row-text">{outcomeWords(outcome)}</p>}
    {adviceFor(outcome) && <p class="fine">{adviceFor(outcome)}</p>}
  </>
);

export function endpointState({ isEnabled, failingSince }: WebhookEndpoint): Words {
  if (!isEnabled) return { text: 'Disabled', tone: 'soon' };
  return failingSince ? { text: 'Failing', tone: 'soon' } : { text: 'Enabled', tone: 'good' };
}

type EndpointSecretProps = {
  readonly url: string;
  readonly secret: string;
  readonly oldUntil: string | null;
  readonly onDone: () => void;
};

/** The signing secret, shown once, with its purpose. */
export const EndpointSecret = ({ url, secret, oldUntil, onDone }: EndpointSecretProps) => (
  <SecretOnce
    title={`The signing secret of ${url}`}
    secret={secret}
    about="the secret"
    onDone={onDone}
  >
    {oldUntil && (
      <p>
        <SaidAt said="Until" at={oldUntil} /> deliveries are also signed with the previous secret.
      </p>
    )}
    <p>
      Give it to your server: it verifies every delivery with it, as{' '}
      <code>svc.webhooks.toNodeHandler(handler, secret)</code> does.
    </p>
  </SecretOnce>
);
