import { refuse } from '../../implement.ts';
import type { Ports, SandboxControl } from '../../ports.ts';
import { refuseField } from '../../refuse-field.ts';

/** Returns the controls of the sandbox; refuses route_not_found in test and live mode. */
export const sandboxOf = ({ sandbox }: Pick<Ports, 'sandbox'>): SandboxControl =>
  sandbox ?? refuse('route_not_found');

/** The request to the sandbox, and the field that a refusal is reported for. */
type SandboxRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly param?: string;
};

/**
 * Asks the sandbox and returns its answer. Refuses gateway_unavailable where it did not answer or
 * failed, and invalid_request with the sandbox's own words where it does not do that to the object.
 */
export async function askSandbox<T>(sandbox: SandboxControl, wish: SandboxRequest): Promise<T> {
  const { method, path, body, param } = wish;
  const answer = await sandbox.call(method, path, body);
  if (answer && answer.status < 300) return answer.body as T;
  if (answer && param !== undefined && (answer.status === 400 || answer.status === 404)) {
    return refuseField(param, errorWordsOf(answer.body));
  }
  return refuse('gateway_unavailable');
}

function errorWordsOf(body: unknown): string {
  const { error } = (body ?? {}) as { error?: unknown };
  if (typeof error === 'string') return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'The sandbox does not do that.';
}
