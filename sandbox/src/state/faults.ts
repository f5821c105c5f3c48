// Faults that a test plants: failures of the network or the provider for a call or a webhook. They are kept
// in memory and used in the order in which they were planted, each `count` times.
import type { Kinds } from './resources.ts';

/** The effect of each fault on a call, as the front page shows it. */
export const callFaults = {
  timeout_after_commit: 'executed, and no answer ever comes',
  drop_reply: 'executed, and the connection is closed instead of an answer',
  drop_request: 'not executed, the connection is closed',
  half_open: 'not executed, and the connection stays open in silence',
  late: 'the connection is closed at once, executed delayMs later',
  error_500: 'a 500 that is replayed for its key; with executes it took effect all the same',
  error_503_unrecorded: 'not executed: an HTML 503 that its key does not remember',
  error_429: 'not executed: 429 with Retry-After',
  error_409: 'not executed: 409 idempotency_key_in_use with Retry-After',
  slow: 'executed and answered after delayMs; its key is in use meanwhile',
  slow_drip: 'executed, and the answer drips in over delayMs',
  stalled: 'executed, and half of the answer comes, then silence',
  truncated: 'executed, answered with half a JSON text',
  huge_body: 'executed, answered with 10 MiB of JSON',
  html_200: 'executed, answered with 200 and an HTML page',
  wrong_amount: 'executed, the answer shows other amounts',
  wrong_currency: 'executed, the answer shows another currency',
  wrong_id: 'executed, the answer shows another id',
  late_balance: 'executed, the answer names no balance transaction yet',
  decline: 'declined whatever the card is; only calls that can be are matched',
  stale_read: 'a GET shows the state before the last change',
  forget_key: 'fires on a key that is remembered: it is forgotten first, and the call runs again',
} as const;

/** The effect of each fault on the delivery of an event. */
export const webhookFaults = {
  duplicate_webhook: 'sent twice',
  reorder_webhooks: 'sent after the next one',
  delay_webhook: 'sent delayMs later on the sandbox clock',
  early_webhook: 'delivered before the call that caused it is answered',
  hold_webhooks: 'kept until POST /_control/webhooks/release; all that match, unless counted',
  drop_webhook: 'never sent, still listed',
} as const;

export type CallFault = keyof typeof callFaults;
export type WebhookFault = keyof typeof webhookFaults;

export type Match = {
  method?: string;
  /** A prefix of the path. With `*` (one path segment) or a closing `$` it must match the whole path. */
  path?: string;
  /** An id anywhere in the path, or the id of the object that an event is about. */
  object?: string;
  /** An event type; `*` stands for any text. */
  event?: string;
  /** Only calls and events of this account. */
  account?: string;
};

export type Fault = {
  id: string;
  match: Match;
  action: CallFault | WebhookFault;
  count: number;
  fired: number;
  delayMs: number;
  /** For `error_500`: whether the call takes effect in spite of the error. */
  executes: boolean;
};

export type PlantedFault = Omit<Fault, 'id' | 'fired'>;

/** What is known of a call before its body is read. Functions give the facts that cost time. */
export type FacedCall = {
  method: string;
  path: string;
  findAccount: () => string | undefined;
  isKeyRemembered: () => boolean;
  /** Returns whether the body asks to confirm the object that it creates. */
  isConfirming: () => boolean;
};

export type Faults = {
  add: (fault: PlantedFault) => Fault;
  list: () => Fault[];
  /** Removes all, or those of one account. */
  clear: (account?: string) => void;
  takeForCall: (call: FacedCall) => Fault | undefined;
  takeForEvent: (event: Kinds['event'], account: string) => Fault | undefined;
};

const escapePattern = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');

const matchesPath = (wanted: string, path: string): boolean => {
  if (wanted.endsWith('$')) return path === wanted.slice(0, -1);
  if (!wanted.includes('*')) return path.startsWith(wanted);
  return new RegExp(`^${escapePattern(wanted).replaceAll('*', '[^/]+')}$`).test(path);
};

const matchesType = (wanted: string, type: string): boolean =>
  new RegExp(`^${escapePattern(wanted).replaceAll('*', '.*')}$`).test(type);

/** Calls that a bank or the wallet can decline. */
const declinable = [
  /^POST \/v1\/payment_intents\/[^/]+\/(confirm|capture)$/,
  /^POST \/v1\/setup_intents\/[^/]+\/confirm$/,
  /^POST \/v1\/refunds$/,
  /^POST \/v2\/checkout\/orders(\/[^/]+\/capture)?$/,
  /^PATCH \/v2\/checkout\/orders\/[^/]+$/,
  /^POST \/v2\/payments\/captures\/[^/]+\/refund$/,
];
const declinableConfirmed = /^POST \/v1\/(payment|setup)_intents$/;

const canBeDeclined = ({ method, path, isConfirming }: FacedCall): boolean => {
  const call = `${method} ${path}`;
  return (
    declinable.some((each) => each.test(call)) || (declinableConfirmed.test(call) && isConfirming())
  );
};

const isPossible = (action: Fault['action'], call: FacedCall): boolean =>
  (action !== 'stale_read' || call.method === 'GET') &&
  (action !== 'decline' || canBeDeclined(call)) &&
  (action !== 'forget_key' || call.isKeyRemembered());

const matchesCall = ({ match, action }: Fault, call: FacedCall): boolean =>
  match.event === undefined &&
  (match.method === undefined || match.method.toUpperCase() === call.method) &&
  (match.path === undefined || matchesPath(match.path, call.path)) &&
  (match.object === undefined || call.path.split('/').includes(match.object)) &&
  (match.account === undefined || match.account === call.findAccount()) &&
  isPossible(action, call);

const isAboutObject = (event: Kinds['event'], id: string): boolean => {
  const object = event.data.object as unknown as Record<string, unknown>;
  return [object.id, object.payment_intent, object.setup_intent, object.charge].includes(id);
};

const matchesEvent = ({ match }: Fault, event: Kinds['event'], account: string): boolean =>
  (match.event === undefined || matchesType(match.event, event.type)) &&
  (match.object === undefined || isAboutObject(event, match.object)) &&
  (match.account === undefined || match.account === account);

const isWebhookFault = (fault: Fault): boolean => Object.hasOwn(webhookFaults, fault.action);

export const createFaults = (): Faults => {
  let planted: Fault[] = [];
  let total = 0;
  const countFault = (fault: Fault | undefined): Fault | undefined => {
    if (fault) fault.fired += 1;
    return fault;
  };
  const isReady = (fault: Fault): boolean => fault.fired < fault.count;
  return {
    add: (fault) => {
      total += 1;
      const made = { ...fault, id: `fault_${total}`, fired: 0 };
      planted.push(made);
      return made;
    },
    list: () => planted,
    clear: (account) => {
      planted = account === undefined ? [] : planted.filter((one) => one.match.account !== account);
    },
    takeForCall: (call) =>
      planted.length === 0
        ? undefined
        : countFault(
            planted.find(
              (fault) => isReady(fault) && !isWebhookFault(fault) && matchesCall(fault, call),
            ),
          ),
    takeForEvent: (event, account) =>
      planted.length === 0
        ? undefined
        : countFault(
            planted.find(
              (fault) =>
                isReady(fault) && isWebhookFault(fault) && matchesEvent(fault, event, account),
            ),
          ),
  };
};
