// Inputs and buttons of forms, copying, and secrets that are shown once.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

type SelectProps = {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly hint?: string;
};

export function Select({ label, name, value, choices, hint }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}>
        {Object.entries(choices).map(([choice, text]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p class="fine" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Copies the text and reports that next to the button. */
export function CopyButton({ text, about }: { text: string; about: string }) {
  const [said, setSaid] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Select it and copy by hand'),
    );
  return (
    <>
      <button type="button" class="quiet" aria-label={`Copy ${about}`} onClick={() => void copy()}>
        Copy
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </>
  );
}

type SecretProps = {
  readonly title: string;
  readonly secret: string;
  readonly about: string;
  readonly onDone: () => void;
  readonly children?: ComponentChildren;
};

/** A secret that is shown only once. It stays until the person dismisses it. */
export function SecretOnce({ title, secret, about, onDone, children }: SecretProps) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  return (
    <section class="once" aria-label={title} tabIndex={-1} ref={box}>
      <h3>{title}</h3>
      <p>Copy it now. It is shown only once.</p>
      <p class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} about={about} />
      </p>
      {children}
      <button type="button" class="second" onClick={onDone}>
        I have stored it
      </button>
    </section>
  );
}

export const Cancel = ({ onCancel }: { onCancel: () => void }) => (
  <button type="button" class="second" onClick={onCancel}>
    Cancel
  </button>
);
