// Name, language and address of the customer, and the form that changes them.

import { buyerLanguages, languageNames } from '@svc/contract/settings/languages';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useClosing } from '../kit/parts/dialog.tsx';
import { NewsLine } from '../kit/parts/news-line.tsx';
import {
  detailsFacts,
  detailsNewsText,
  detailsTroubleText,
  emailTroubleText,
} from './details-words.ts';
import { Notice } from './notice.tsx';
import type { PartProps } from './words.ts';

export function DetailsSection({ customer, language }: PartProps) {
  const { own } = language;
  const { details, page } = customer;
  const { known, news, trouble, work } = details;
  if (!known.value && !trouble.value) return null;
  const mayChange = page.value?.may.changeDetails && known.value;
  const isBlocked = work.value !== null;
  return (
    <section aria-labelledby="details">
      <h2 id="details" class="part-title">
        {own.details}
      </h2>
      <NewsLine
        look="card-news"
        news={news.value}
        text={news.value && detailsNewsText(news.value, language)}
      />
      {known.value && (
        <div class="panel cards">
          <dl class="details">
            {detailsFacts(known.value, language).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          {known.value.pendingEmail && (
            <p class="choice-news">{own.pending(known.value.pendingEmail.email)}</p>
          )}
          {mayChange && (
            <div class="card-ways">
              <button
                type="button"
                class="quiet"
                aria-label={`${own.change}: ${own.details}`}
                aria-disabled={isBlocked}
                onClick={() => details.edit(true)}
              >
                {own.change}
              </button>
              {known.value.pendingEmail && (
                <button
                  type="button"
                  class="quiet danger"
                  aria-disabled={isBlocked}
                  onClick={() => void details.drop()}
                >
                  {work.value === 'dropping' ? own.changing : own.pendingDrop}
                </button>
              )}
            </div>
          )}
        </div>
      )}
      {trouble.value && !details.isOpen.value && (
        <Notice trouble={trouble.value} {...detailsTroubleText(trouble.value, language)}>
          {trouble.value.kind === 'unread' && (
            <button type="button" class="quiet" onClick={() => void details.load()}>
              {language.texts.retry}
            </button>
          )}
        </Notice>
      )}
      {details.isOpen.value && <DetailsDialog customer={customer} language={language} />}
    </section>
  );
}

function DetailsDialog({ customer, language }: PartProps) {
  const { texts, own } = language;
  const { details } = customer;
  const { trouble, work } = details;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  // Closes the dialog before the state removes it: only a dialog that is in the document returns the focus.
  const close = useClosing(dialog, () => details.edit(false));
  const isSaving = work.value !== null;
  const general = trouble.value && !trouble.value.isOfEmail ? trouble.value : null;
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-labelledby="details-title"
      onCancel={(event) => {
        if (isSaving) event.preventDefault();
        else close();
      }}
    >
      <h2 id="details-title">{own.details}</h2>
      <form
        class="find"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const typed = new FormData(event.currentTarget);
          const textIn = (name: string) => String(typed.get(name) ?? '').trim();
          const chosen = buyerLanguages.find((one) => one === textIn('language')) ?? null;
          const name = textIn('name') || null;
          void details.save({ name, language: chosen, email: textIn('email') });
        }}
      >
        <Fields customer={customer} language={language} />
        {general && <Notice trouble={general} {...detailsTroubleText(general, language)} />}
        <div class="stop-ways">
          <button type="submit" class="second" aria-disabled={isSaving}>
            {isSaving ? own.changing : own.save}
          </button>
          <button
            type="button"
            class="second"
            aria-disabled={isSaving}
            onClick={() => !isSaving && close()}
          >
            {texts.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Not controlled: what was typed stays while the page is drawn again. */
function Fields({ customer, language }: PartProps) {
  const { own } = language;
  const id = useId();
  const { known, trouble } = customer.details;
  const address = useRef<HTMLInputElement>(null);
  const wrong = trouble.value?.isOfEmail ? trouble.value : null;
  useLayoutEffect(() => {
    if (wrong) address.current?.focus();
  }, [wrong]);
  const initial = useRef(known.value).current;
  return (
    <>
      <label for={`${id}-name`}>{own.name}</label>
      <input
        id={`${id}-name`}
        name="name"
        autocomplete="name"
        maxLength={250}
        dir="auto"
        defaultValue={initial?.name ?? ''}
      />
      <label for={`${id}-language`}>{own.language}</label>
      <select id={`${id}-language`} name="language">
        <option value="" selected={!initial?.language}>
          {own.languageOfBrowser}
        </option>
        {buyerLanguages.map((one) => (
          <option key={one} value={one} lang={one} selected={initial?.language === one}>
            {languageNames[one]}
          </option>
        ))}
      </select>
      <label for={`${id}-email`}>{own.newEmail}</label>
      <input
        ref={address}
        id={`${id}-email`}
        type="email"
        name="email"
        autocomplete="email"
        maxLength={320}
        dir="ltr"
        aria-invalid={wrong !== null}
        aria-describedby={`${id}-news ${id}-hint`}
      />
      <p id={`${id}-news`} class={wrong ? 'wrong' : 'unseen'} role="alert">
        {wrong && emailTroubleText(wrong, language)}
      </p>
      <p id={`${id}-hint`} class="fine">
        {own.newEmailHint(known.value?.email ?? '')}
      </p>
    </>
  );
}
