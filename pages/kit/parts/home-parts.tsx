// Components that the sections of the account's pages share: boxes, buttons of rows, dialogs, and secrets
// that are shown once.

import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { begunActs } from '../begun-acts.ts';
import type { Section, SectionError } from '../home-section.ts';
import { timeWords, zoneContext } from '../times.ts';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './parts.tsx';

type SectionBoxProps<T> = {
  readonly section: Section<T>;
  readonly title: string;
  /** One or two sentences about the section and its purpose. */
  readonly intro?: ComponentChildren;
  readonly children: (content: T) => ComponentChildren;
};

/** A section that is read when it is first shown. */
export function SectionBox<T>({ section, title, intro, children }: SectionBoxProps<T>) {
  useEffect(() => {
    if (section.content.value === null) void section.load();
  }, [section]);
  const id = useId();
  const content = section.content.value;
  const failure = section.unreadable.value;
  return (
    <section class="block" aria-labelledby={id} aria-busy={content === null && !failure}>
      <h2 id={id}>{title}</h2>
      {intro && <p class="block-intro">{intro}</p>}
      <NewsLine section={section} />
      {failure && (
        <ErrorBox failure={failure}>
          <button type="button" class="quiet" onClick={() => void section.load()}>
            Try again
          </button>
        </ErrorBox>
      )}
      {content !== null ? children(content) : !failure && <Bones />}
    </section>
  );
}

const Bones = () => (
  <>
    <p class="unseen" role="status">
      Loading…
    </p>
    <div aria-hidden="true">
      <span class="bone bone-small" />
      <span class="bone bone-line" />
    </div>
  </>
);

/** Always in the document, so that screen readers announce its changes. The focus moves to it. */
function NewsLine<T>({ section }: { section: Section<T> }) {
  const news = section.news.value;
  const begun = begunActs.value;
  const line = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (news) line.current?.focus();
  }, [news]);
  useLayoutEffect(() => {
    // An act that began elsewhere, or was not sent because of what was typed.
    section.news.value = null;
  }, [begun]);
  return (
    <p class={news ? 'news' : 'unseen'} role="status" tabIndex={-1} ref={line}>
      {news?.text}
    </p>
  );
}

/** Shows the section's error if it belongs to this place. */
export function TroubleAt<T>({ section, at }: { section: Section<T>; at: string }) {
  const trouble: SectionError | null = section.trouble.value;
  return trouble?.at === at ? <ErrorBox failure={trouble.failure} /> : null;
}

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

type ActProps<T> = {
  readonly section: Section<T>;
  readonly at: string;
  readonly onAct: () => unknown;
  /** What the button acts on, for people who cannot see its row. */
  readonly about?: string;
  readonly isDanger?: boolean;
  readonly children: string;
};

/** A quiet button of a row. It uses `aria-disabled` in place of `disabled`, which would lose the focus. */
export function Act<T>({ section, at, onAct, about, isDanger, children }: ActProps<T>) {
  const isBlocked = section.work.value !== null;
  return (
    <button
      type="button"
      class={isDanger ? 'quiet danger' : 'quiet'}
      aria-label={about ? `${children}: ${about}` : undefined}
      aria-disabled={isBlocked}
      onClick={() => !isBlocked && void onAct()}
    >
      {section.work.value === at && <span class="spinner small" aria-hidden="true" />}
      {children}
    </button>
  );
}

type AskProps = {
  readonly title: string;
  readonly yes: string;
  readonly no?: string;
  readonly onAnswer: (isYes: boolean) => void;
  readonly children: ComponentChildren;
};

/** Asks for confirmation. Calls `onAnswer` once, also when the dialog is closed. */
export function AskDialog({ title, yes, no = 'Cancel', onAnswer, children }: AskProps) {
  const isYes = useRef(false);
  return (
    <Dialog title={title} onClose={() => onAnswer(isYes.current)}>
      {(close) => (
        <>
          {children}
          <div class="ways">
            <button type="button" class="second" onClick={close}>
              {no}
            </button>
            <button
              type="button"
              class="second danger"
              onClick={() => {
                isYes.current = true;
                close();
              }}
            >
              {yes}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Copies the text and reports that next to the button. */
export function CopyButton({ text, about }: { text: string; about: string }) {
  const [said, say] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Select it and copy by hand'),
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
      <p>Copy it now: it is shown this once, and nobody can read it again.</p>
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

/**
 * A time in the page's time zone. The tooltip shows it in UTC and, where the page has a zone, in the reader's
 * own zone too.
 */
export function Time({ at }: { at: string }) {
  const zone = useContext(zoneContext);
  const own = zone === null ? '' : ` · on your own clock ${timeWords(at, null)}`;
  return (
    <time dateTime={at} title={at + own}>
      {timeWords(at, zone)}
    </time>
  );
}

/** `Made 21 Nov 2026, 22:10`. */
export const SaidAt = ({ said, at }: { said: string; at: string }) => (
  <>
    {said} <Time at={at} />
  </>
);

type EmptyProps = { readonly title: string; readonly children: ComponentChildren };

export const Empty = ({ title, children }: EmptyProps) => (
  <div class="nothing">
    <h3>{title}</h3>
    {children}
  </div>
);

/** Facts in one line, separated by dots. Empty ones get no dot. */
export const Facts = ({ children }: { children: ComponentChildren }) => (
  <p class="facts">
    {[children]
      .flat()
      .filter((fact) => fact !== null && fact !== undefined && fact !== false && fact !== '')
      .map((fact, place) => (
        <span key={place}>{fact}</span>
      ))}
  </p>
);

export const Cancel = ({ onCancel }: { onCancel: () => void }) => (
  <button type="button" class="second" onClick={onCancel}>
    Cancel
  </button>
);
