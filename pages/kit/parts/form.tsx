// Forms and their fields, and the state of a running action.

import { countCharacters } from '@svc/contract/values/characters';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countAction } from '../begun-actions.ts';
import {
  type CallFailure,
  type FieldFault,
  failureOf,
  ShownAtField,
  settledName,
} from '../calls.ts';
import { Trouble } from './states.tsx';

/** Runs an action, one at a time, and holds its state. Its error stays until the next attempt. */
export function useAction<A extends unknown[]>(action: (...given: A) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const isRunning = useRef(false);
  const run = async (...given: A): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
    countAction();
    setBusy(true);
    setFailure(null);
    try {
      await action(...given);
      return true;
    } catch (cause) {
      setFailure(failureOf(cause));
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { run, isBusy, failure, forget: () => setFailure(null) };
}

/** A button that shows that its action is running. */
export function Busy({
  isBusy = false,
  isBlocked = isBusy,
  kind = 'pay',
  type = 'button',
  onClick,
  children,
}: {
  isBusy?: boolean;
  /** True while another action must end first. */
  isBlocked?: boolean;
  /** `pay`: the main action; `second`; `second danger`; `quiet`. */
  kind?: string;
  type?: 'button' | 'submit';
  onClick?: () => void;
  children: ComponentChildren;
}) {
  return (
    <button
      type={type}
      class={kind}
      aria-disabled={isBlocked}
      onClick={(event) => {
        if (isBlocked) event.preventDefault();
        else onClick?.();
      }}
    >
      {isBusy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

/** Values of a form by name, as typed. */
export type Fields = (name: string) => string;

const noFaults: readonly FieldFault[] = [];
const faultsOfForm = createContext(noFaults);

/**
 * A form that is sent by script. Its error is shown above the fields, which keep what was typed, or beside
 * those that are wrong: the first of them then takes the focus.
 */
export function Form({
  send,
  submit,
  children,
  kind = 'pay',
  after,
}: {
  send: (fields: Fields) => Promise<unknown>;
  submit: string;
  children: ComponentChildren;
  kind?: string;
  /** Content beside the button. */
  after?: ComponentChildren;
}) {
  const { run, isBusy, failure } = useAction(send);
  const form = useRef<HTMLFormElement>(null);
  const isTold = failure instanceof ShownAtField;
  // Not a layout effect: the fields have the faults of a changed context one render later.
  useEffect(() => {
    if (isTold) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);
  return (
    <form
      class="form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        void run((name) => String(values.get(name) ?? ''));
      }}
    >
      {failure && !isTold && <Trouble failure={failure} hasFocus />}
      <faultsOfForm.Provider value={isTold ? failure.faults : noFaults}>
        {children}
      </faultsOfForm.Provider>
      <div class="form-ways">
        <Busy type="submit" kind={kind} isBusy={isBusy}>
          {submit}
        </Busy>
        {after}
      </div>
    </form>
  );
}

type FieldProps = {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'search' | 'date' | 'url';
  value?: string;
  hint?: ComponentChildren;
  /** What is wrong with the typed value. */
  error?: string | null;
  autoComplete?: string;
  inputMode?: 'numeric' | 'decimal' | 'email' | 'text';
  isOptional?: boolean;
  /** For a text of several lines: how many are shown. */
  lines?: number;
  isReadOnly?: boolean;
  hasFocus?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  title?: string;
  class?: string;
};

/**
 * What is wrong with the length of a typed text; empty where nothing is. The browser's own limits count most
 * emoji twice, and cut a pasted text without a word.
 */
export function lengthFault(
  text: string,
  {
    minLength: least = 0,
    maxLength: most = Number.POSITIVE_INFINITY,
  }: Pick<FieldProps, 'minLength' | 'maxLength'>,
): string {
  const count = countCharacters(text);
  if (count > most) return `Shorten this to ${most} characters; it has ${count}.`;
  return count > 0 && count < least ? `Type ${least} characters or more; this has ${count}.` : '';
}

/** A labelled input with its hint and its error. */
export function Field(given: FieldProps) {
  const { label, name, type = 'text', hint } = given;
  const id = useId();
  const fault = useContext(faultsOfForm).find((each) => each.name === name);
  const [settled, setSettled] = useState<{ fault?: FieldFault; text: string } | null>(null);
  const isAnswered = fault !== undefined && settled?.fault === fault;
  const error = given.error ?? (isAnswered ? undefined : fault?.text);
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (given.hasFocus) input.current?.focus();
  }, []);
  const settle = (text: string) => {
    if (input.current) input.current.value = text;
    input.current?.focus();
    setSettled({ text, ...(fault ? { fault } : {}) });
  };
  // Preact's types allow only one kind of input at a time.
  const Entry = (given.lines ? 'textarea' : 'input') as 'input';
  return (
    <div class={`field ${given.class ?? ''}`}>
      <label for={id}>
        {label}
        {given.isOptional && <span class="label"> (optional)</span>}
      </label>
      <Entry
        ref={input}
        id={id}
        name={name}
        defaultValue={given.value ?? ''}
        required={!given.isOptional}
        readOnly={given.isReadOnly ?? false}
        autoComplete={given.autoComplete ?? 'off'}
        autoCapitalize="none"
        spellcheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={described.join(' ') || undefined}
        onInput={({ currentTarget }) =>
          currentTarget.setCustomValidity(lengthFault(currentTarget.value, given))
        }
        {...withoutUndefined({
          type: given.lines ? undefined : type,
          rows: given.lines,
          inputMode: given.inputMode,
          pattern: given.pattern,
          title: given.title,
        })}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {settled && <input type="hidden" name={settledName(name)} value={settled.text} />}
      {error && fault?.choices && <SumChoices choices={fault.choices} onChoose={settle} />}
    </div>
  );
}

type ChoicesProps = {
  readonly choices: NonNullable<FieldFault['choices']>;
  readonly onChoose: (text: string) => void;
};

/** The meanings of a typed sum, to choose from. */
export const SumChoices = ({ choices, onChoose }: ChoicesProps) => (
  <p class="ways">
    {choices.map(({ label, text }) => (
      <button key={text} type="button" class="second" onClick={() => onChoose(text)}>
        {label}
      </button>
    ))}
  </p>
);

function withoutUndefined(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
