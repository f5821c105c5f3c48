// What the shop's log says when Svc refuses: who, what, and the remedy.

import {
  SvcAuthenticationError,
  SvcConnectionError,
  SvcError,
  SvcPermissionError,
} from '@svc/server';

const remedies: Readonly<Record<string, string>> = {
  merchant_role_required:
    'the token belongs to a person who is no owner or admin of the merchant; make a token as one',
  insufficient_scope:
    'the token lacks a scope; it needs checkout:write, payments:read, payments:write and refunds:write',
  amount_not_supported:
    "the card provider does not take this total or currency; take the region's currency off, or another provider for it",
  currency_required: "the region has no currency; set it in Medusa's settings",
  gateway_not_configured:
    'the merchant has no card provider yet; connect one in the dashboard of Svc',
  checkout_session_reference_taken:
    'the buyer is paying this order in another tab; wait until that has ended',
  checkout_attempt_in_progress:
    'the buyer is paying this order in another tab; wait until that has ended',
  payment_disputed: 'the bank has the money already; a refund would pay the buyer twice',
};

/** One sentence for the log and the admin. */
export function sentenceOf(doing: string, error: unknown): string {
  if (!(error instanceof SvcError))
    return `${doing}: ${String((error as Error)?.message ?? error)}`;
  const request = error.requestId ? ` (${error.requestId})` : '';
  return `${doing}: ${error.code ?? error.name}, ${remedyOf(error)}${request}`;
}

function remedyOf(error: SvcError): string {
  const known = remedies[error.code ?? ''];
  if (known) return known;
  if (error instanceof SvcConnectionError) {
    return 'Svc gave no answer; nothing is taken for granted, press again: the same request is not made twice';
  }
  if (error instanceof SvcPermissionError) return error.message;
  if (error instanceof SvcAuthenticationError) {
    return 'Svc does not know this clientId with this apiToken; compare both with medusa-config';
  }
  const isOld = error.status === 404 && error.code === 'not_found';
  const isUnknownField =
    error.code === 'invalid_request' && /unknown|additional/i.test(error.message);
  if (isOld || isUnknownField) {
    return `this Svc is older than the plugin (${error.message}); update Svc, or install the plugin of its version`;
  }
  return error.message;
}
