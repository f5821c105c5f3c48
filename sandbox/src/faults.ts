// Faults that a test plants: what the network and a troubled provider do to a call or a webhook.
// Kept in memory, taken in the order they were planted, each `count` times.
import type { Kinds } from './resources.ts';

export const callFaults = [
  'timeout_after_commit',
  'drop_reply',
  'drop_request',
  'late',
  'error_500',
  'error_503_unrecorded',
  'error_429',
  'error_409',
  'slow',
  'wrong_amount',
  'truncated',
  'decline',
] as const;
export const webhookFaults = ['duplicate_webhook', 'reorder_webhooks', 'drop_webhook'] as const;

export type CallFault = (typeof callFaults)[number];
export type WebhookFault = (typeof webhookFaults)[number];

export type Match = {
  method?: string;
  /** A prefix; with `*` (one path segment) or a closing `$` the whole path. */
  path?: string;
  /** An id anywhere in the path, or the id of the object that an event is about. */
  object?: string;
  /** An event type; `*` stands for anything. */
  event?: string;
};

export type Fault = {
  id: string;
  match: Match;
  action: CallFault | WebhookFault;
  count: number;
  fired: number;
  delayMs: number;
  /** For `error_500`: whether the call took effect all the same. */
  executes: boolean;
};

export type PlantedFault = Omit<Fault, 'id' | 'fired'>;

export type Faults = {
  add: (fault: PlantedFault) => Fault;
  list: () => Fault[];
  clear: () => void;
  takeForCall: (call: { method: string; path: string }) => Fault | undefined;
  takeForEvent: (event: Kinds['event']) => WebhookFault | undefined;
};

const escapePattern = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');

const matchesPath = (wanted: string, path: string): boolean => {
  if (wanted.endsWith('$')) return path === wanted.slice(0, -1);
  if (!wanted.includes('*')) return path.startsWith(wanted);
  return new RegExp(`^${escapePattern(wanted).replaceAll('*', '[^/]+')}$`).test(path);
};

const matchesType = (wanted: string, type: string): boolean =>
  new RegExp(`^${escapePattern(wanted).replaceAll('*', '.*')}$`).test(type);

const matchesCall = (match: Match, method: string, path: string): boolean =>
  (match.method === undefined || match.method.toUpperCase() === method) &&
  (match.path === undefined || matchesPath(match.path, path)) &&
  (match.object === undefined || path.split('/').includes(match.object));

const isAbout = (event: Kinds['event'], id: string): boolean => {
  const object = event.data.object as unknown as Record<string, unknown>;
  return [object.id, object.payment_intent, object.setup_intent, object.charge].includes(id);
};

const isWebhookFault = (fault: Fault): fault is Fault & { action: WebhookFault } =>
  (webhookFaults as readonly string[]).includes(fault.action);

export const createFaults = (): Faults => {
  let planted: Fault[] = [];
  let total = 0;
  const take = <F extends Fault>(fault: F | undefined): F | undefined => {
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
    clear: () => {
      planted = [];
    },
    takeForCall: ({ method, path }) =>
      take(
        planted.find(
          (fault) =>
            isReady(fault) &&
            !isWebhookFault(fault) &&
            fault.match.event === undefined &&
            matchesCall(fault.match, method, path),
        ),
      ),
    takeForEvent: (event) =>
      take(
        planted
          .filter(isWebhookFault)
          .find(
            (fault) =>
              isReady(fault) &&
              (fault.match.event === undefined || matchesType(fault.match.event, event.type)) &&
              (fault.match.object === undefined || isAbout(event, fault.match.object)),
          ),
      )?.action,
  };
};
