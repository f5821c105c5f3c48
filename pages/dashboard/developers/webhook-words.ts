// The results of deliveries and signatures in words, with what to do about them. No markup.

import type { WebhookDelivery, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import type { SignatureCheck, WebhookTester } from '@svc/contract/developers/webhook-tester';

type Outcome = { readonly status: number | null; readonly error: string | null };

/** Our short texts for failures without a response, or in place of one. */
const errors: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  connection_refused: [
    'Connection refused',
    'No server is listening at this address. Is your server running?',
  ],
  connection_reset: ['Connection broken off', 'Your server or a proxy closed the connection.'],
  connection_failed: ['Connection failed', 'Your server could not be reached.'],
  connect_timeout: ['No connection in 5 seconds', 'Is there a firewall in front of your server?'],
  timeout: ['No answer in 15 seconds', 'Store the event, answer 200, and do the work afterwards.'],
  unreachable: ['Network unreachable', 'There is no way from here to your server.'],
  dns_error: ['Name not found', 'The host name has no address. Is it spelled correctly?'],
  tls_error: [
    'Certificate not trusted',
    'Check its name, its expiry and the intermediate certificates.',
  ],
  address_refused: ['Address refused', 'Deliveries to private networks are not allowed.'],
  url_refused: ['Address refused', 'Endpoints must use https.'],
  bad_answer: ['Answer not understood', 'The answer was not HTTP.'],
  redirect_refused: ['Redirect', 'Redirects are not followed. Enter the final address.'],
  gone: ['Answered 410', 'Your server answered 410 (gone), so the endpoint is disabled.'],
};

const unknownSecret =
  'Does your server know this endpoint’s secret, and does it check the raw body before parsing it?';

const answers: Readonly<Record<number, string>> = {
  400: unknownSecret,
  401: unknownSecret,
  403: unknownSecret,
  404: 'There is nothing at this path of your server.',
  405: 'Deliveries are sent with POST.',
  408: 'Your server timed out while it read the body.',
  413: 'Your server refuses bodies of this size. A large order is up to 150 kB.',
  415: 'Your server refuses the content type application/json.',
  429: 'Your server limits how often it is called. Deliveries wait as long as it asks for.',
};

/** For example `Answered 500` or `Certificate not trusted`; null when nothing was tried. */
export function outcomeWords({ status, error }: Outcome): string | null {
  const known = error === null ? undefined : errors[error];
  if (known) return status === null || error === 'gone' ? known[0] : `${known[0]} (${status})`;
  if (status !== null) return `Answered ${status}`;
  return error;
}

/** Returns what to do; null after a success or when there is nothing to advise. */
export function adviceFor({ status, error }: Outcome): string | null {
  const known = error === null ? undefined : errors[error];
  if (known) return known[1];
  if (status === null || status < 300) return null;
  return answers[status] ?? (status >= 500 ? 'Your server failed. Its log says why.' : null);
}

/** A cause of failures and what to do about it, listed once, however many deliveries it affected. */
type Cause = { readonly words: string; readonly advice: string; readonly count: number };

/** Returns the causes of some results, in their order. */
export function causesOf(outcomes: readonly Outcome[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const outcome of outcomes) {
    const [words, advice] = [outcomeWords(outcome), adviceFor(outcome)];
    if (words === null || advice === null) continue;
    causes.set(words, { words, advice, count: (causes.get(words)?.count ?? 0) + 1 });
  }
  return [...causes.values()];
}

export const stateNames: Readonly<Record<WebhookDelivery['state'], string>> = {
  pending: 'Waiting',
  delivered: 'Delivered',
  dead: 'Given up',
  cancelled: 'Cancelled',
};

/** The text after a request to deliver an event again. */
export const resentWords = (deliveries: number): string =>
  deliveries > 0
    ? 'The event is on its way again, labelled as redelivery.'
    : 'Nothing is sent: no enabled endpoint subscribes to this event, or it is already on its way.';

/** Returns what happened to the endpoint and what to do; null while it works. */
export function describeTrouble(endpoint: WebhookEndpoint): { what: string; toDo: string } | null {
  const { isEnabled, disabledReason, failingSince } = endpoint;
  const again = 'Enable it and redeliver the missed events.';
  if (!isEnabled && disabledReason === 'gone')
    return {
      what: 'Disabled: it answered 410.',
      toDo: `If that was a mistake: ${lowerFirst(again)}`,
    };
  if (!isEnabled && disabledReason === 'failing') {
    const toDo = `Repair your server first. ${again}`;
    return { what: 'Disabled: every delivery failed for 120 hours.', toDo };
  }
  if (!isEnabled) return { what: 'Disabled by a member: nothing is sent.', toDo: again };
  if (!failingSince) return null;
  return {
    what: 'Deliveries fail.',
    toDo: 'The newest attempts below say why. After 120 hours without a success the endpoint is disabled.',
  };
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** `duplicate` and `reorder`, the faults that the sandbox can cause. */
export const faultNames: Readonly<Record<string, string>> = {
  '': 'None: deliver as in live mode',
  duplicate: 'Duplicate: send every delivery twice',
  reorder: 'Reorder: let later events overtake earlier ones',
};

/** Shown beside the choice of a fault: its purpose. */
export const faultHint =
  'Only in a sandbox. Live deliveries rarely repeat or overtake one another, but they can. Check that your server copes.';

export const answerNames: Readonly<Record<WebhookTester['answer'], string>> = {
  ok: '200 at once',
  slow: '200 after 5 seconds',
  error: '500',
  timeout: 'Nothing, until the sender gives up',
  gone: '410, which disables the endpoint',
};

export const answeredWords: Readonly<Record<WebhookTester['answer'], string>> = {
  ok: 'Answered 200',
  slow: 'Answered 200, late',
  error: 'Answered 500',
  timeout: 'Not answered',
  gone: 'Answered 410',
};

/** Shown beside the choice of a response: its consequence. */
export const answerHint =
  'An event without a 2xx answer is sent again, as in live mode. A test event is sent only once.';

export const schemeNames: Readonly<Record<SignatureCheck['scheme'], string>> = {
  svc: 'Svc-Signature',
  standard: 'Standard Webhooks',
};

const minutes = (seconds: number) => `${Math.round(seconds / 60)} minutes`;

/** Returns whether a receiver should accept the signature, and the reason if not. */
export function verdictWords(check: SignatureCheck): { isGood: boolean; words: string } {
  const { verdict, ageSeconds, toleranceSeconds } = check;
  const age = Math.abs(ageSeconds ?? 0);
  const words: Readonly<Record<SignatureCheck['verdict'], string>> = {
    valid: 'Valid: made with your secret, for exactly these bytes, just now.',
    no_header: 'There is no signature.',
    malformed: 'The header cannot be read: it needs a time and a signature.',
    no_secret: 'No endpoint has this address, so there is no secret to compare with.',
    no_match:
      'No signature matches: it was made with another secret, or the body has changed since it was signed.',
    too_old: `Signed ${minutes(age)} before it came; more than ${minutes(toleranceSeconds)} is refused. Somebody may have sent an old delivery again.`,
    too_new: `Signed ${minutes(age)} ahead of the time it came; more than ${minutes(toleranceSeconds)} is refused. One of the clocks is wrong.`,
  };
  return { isGood: verdict === 'valid', words: words[verdict] };
}
