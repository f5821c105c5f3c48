// The words of the customer's details: what is known, what was done, and why something was not.

import type { CustomerPageDetails } from '@svc/contract/customers/customer-page-details';
import { languageNames } from '@svc/contract/settings/languages';
import type { DetailsNews, FailedDetails } from './details.ts';
import type { CustomerLanguage } from './language.ts';
import { failureText } from './words.ts';

export const detailsFacts = (
  { name, language, email }: CustomerPageDetails,
  { own }: CustomerLanguage,
): readonly (readonly [name: string, value: string])[] => [
  [own.name, name ?? own.noName],
  [own.language, language ? languageNames[language] : own.languageOfBrowser],
  [own.findField, email],
];

export const detailsNewsText = ({ kind }: DetailsNews, { own }: CustomerLanguage): string =>
  ({ saved: own.detailsSaved, mailed: own.addressMailed, dropped: own.addressDropped })[kind];

export function detailsTroubleText({ kind, failure }: FailedDetails, language: CustomerLanguage) {
  const { own } = language;
  // What was not answered may have been saved.
  const title = failure.status === 0 ? null : own.detailsFailed;
  return {
    title: kind === 'unread' ? own.detailsUnread : title,
    ...failureText(failure, language),
  };
}

/** Beside the field of the address. */
export function emailTroubleText({ failure }: FailedDetails, language: CustomerLanguage): string {
  const { own } = language;
  if (failure.code === 'invalid_request') return own.emailWrong;
  if (failure.code === 'rate_limited') return own.emailOften;
  return failureText(failure, language).text;
}
