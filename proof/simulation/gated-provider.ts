// The product's card adapter and its transport, connected to the sandbox provider over its real
// wire, with a gate before every request and every response. This file causes the network's faults,
// the sandbox the provider's. Reliability 2.1: F4-F10, F12-F14.

import Stripe from 'stripe';
import type { Provider } from '../../service/src/engine/ports.ts';
import { cardProvider } from '../../service/src/providers/card/calls.ts';
import type { Transport } from '../../service/src/providers/card/transport.ts';
import { NeverSent } from '../../service/src/providers/sending/never-sent.ts';
import { assertStillToSend } from '../../service/src/providers/sending/send-until.ts';
import type { ProviderAccount } from '../kit/provider-account.ts';
import { currentActor, type Scheduler } from '../kit/scheduler.ts';
import type { Chances, ReadFault, RequestFault } from './chances.ts';
import { isInTransaction } from './gated-database.ts';
import type { Labels } from './labels.ts';

type RequestArguments = Parameters<Stripe.HttpClient['makeRequest']>;

/** A request that was sent, or may have been. */
export type SentRequest = {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly actor: string;
  readonly ids: ReadonlySet<string>;
};

/** A request in flight for which the service no longer waits. */
export type LateRequest = { readonly label: string; readonly run: () => Promise<void> };

type Parts = {
  readonly scheduler: Scheduler;
  readonly chances: Chances;
  readonly labels: Labels;
  readonly account: ProviderAccount;
  readonly transport: Transport;
  readonly nowMs: () => number;
};

/** Faults that the sandbox causes, with its names for them. */
const played: Partial<Record<RequestFault | ReadFault, [action: string, more?: object]>> = {
  'recorded 500': ['error_500'],
  'recorded 500, executed': ['error_500', { executes: true }],
  'unrecorded 503': ['error_503_unrecorded'],
  'refused by the provider': ['decline'],
  'rate limited': ['error_429'],
  'key in use': ['error_409'],
  'wrong amount': ['wrong_amount'],
  'wrong id': ['wrong_id'],
  'truncated answer': ['truncated'],
  'HTML answer': ['html_200'],
  'stale reading': ['stale_read'],
};

const budgetMs = 12_000;
const noAnswer = () => new Error('no answer');

export class GatedProvider {
  readonly provider: Provider;
  readonly late: LateRequest[] = [];
  readonly sent: SentRequest[] = [];
  /** Violations that were seen during the schedule. */
  readonly violations: string[] = [];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    const sdk = new Stripe(parts.account.secretKey, {
      host: parts.account.host,
      port: parts.account.port,
      protocol: 'http',
      httpClient: {
        getClientName: () => 'gated',
        makeRequest: (...given) => this.#request(given),
      },
      maxNetworkRetries: 0,
      telemetry: false,
    });
    this.provider = cardProvider(sdk, { budgetMs, answerMs: 8000, resendMs: 3000, pauseMs: 300 });
  }

  async #request(given: RequestArguments): Promise<Stripe.HttpClientResponse> {
    const { scheduler } = this.#parts;
    const [, , path, method] = given;
    const label = this.#labelOf(method, path);
    if (isInTransaction()) this.violations.push(`R3 a transaction is open during ${label}`);
    await scheduler.gate(label);
    // Checked here as in the transport: a fault for a request that is not sent would affect the
    // next one.
    assertStillToSend();
    const fault = currentActor() ? this.#drawFault(method, path) : undefined;
    if (fault) this.#note(label, fault);
    if (fault === 'never sent') throw new NeverSent('connection refused');
    this.#remember(given);
    if (fault === 'request lost' || fault === 'reading failed') throw noAnswer();
    if (fault === 'executed late') {
      // Separate from the actor, because a request in flight outlives it.
      this.late.push({ label, run: () => this.#send(given).then(ignore, ignore) });
      throw noAnswer();
    }
    const answer = await this.#send(given, fault);
    // The provider has executed the request; whether and when the service gets the response is
    // open.
    await scheduler.gate(`answer to ${label}`);
    if (fault === 'answer lost') throw noAnswer();
    if ('error' in answer) throw answer.error;
    return answer.response;
  }

  /** Runs the whole exchange, body included, so that nothing depends on the machine's timing. */
  #send(given: RequestArguments, fault?: RequestFault | ReadFault) {
    const { scheduler, account, transport } = this.#parts;
    return scheduler.fly(null, async () => {
      const [action, more] = (fault && played[fault]) ?? [];
      if (action) await account.arm(action, more);
      const response = await transport.client.makeRequest(...given).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if ('error' in response) return response;
      const body = await (response.value.toJSON() as Promise<object>).then(
        (value) => () => Promise.resolve(value),
        (error: unknown) => () => Promise.reject(error),
      );
      return { response: { ...response.value, toJSON: body } as Stripe.HttpClientResponse };
    });
  }

  #drawFault(method: string, path: string): RequestFault | ReadFault | undefined {
    const { chances } = this.#parts;
    return method === 'GET' ? chances.ofRead() : chances.ofRequest(path);
  }

  #remember([, , path, method, headers]: RequestArguments): void {
    const actor = currentActor();
    if (method !== 'POST') return;
    const key = (headers as Record<string, string>)['Idempotency-Key'] ?? '';
    const { nowMs } = this.#parts;
    const ids = new Set(actor?.ids);
    this.sent.push({ at: nowMs(), method, path, key, actor: actor?.name ?? 'set-up', ids });
  }

  #note(label: string, fault: RequestFault | ReadFault): void {
    this.#parts.chances.count(fault);
    this.#parts.scheduler.note(currentActor()?.name ?? '', label, fault);
  }

  #labelOf(method: string, path: string): string {
    const [, , kind = '', id = '', verb = ''] = (path.split('?')[0] ?? '').split('/');
    const about = this.#parts.labels.of(id);
    return [method, kind, about, verb].filter(Boolean).join(' ');
  }
}

const ignore = () => undefined;
