// A merchant's members in their browsers, on the running service: some refund, others approve.

import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/engine/ports.ts';
import { findPayment } from '../../src/storage/payments/payments.ts';
import { callAs } from '../harness.ts';
import { aServer } from '../server.ts';
import { aSession, cards, pay, startWorld } from '../world.ts';
import { aMemberOf } from './members.ts';
import { aSignIn, fromOwnPage } from './people.ts';

export type Colleague = { readonly id: string; readonly email: string };

/** A response: status, code of a refusal, and body. */
export type CallAnswer = {
  readonly status: number;
  readonly code: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any row, compared by the test
  readonly body: any;
};

export type Office = Awaited<ReturnType<typeof openOffice>>;

export async function openOffice() {
  const world = await startWorld();
  const server = await aServer(world.ports);
  const browsers = new Map<string, Readonly<Record<string, string>>>();

  /** Makes one call from the person's browser. */
  async function callAsColleague(
    { id }: Pick<Colleague, 'id'>,
    call: string,
    given: { body?: object | null; key?: string } = {},
  ): Promise<CallAnswer> {
    const key = given.key === undefined ? {} : { 'idempotency-key': given.key };
    const isBodiless = call.startsWith('GET ') || given.body === null;
    const body = given.body ?? (isBodiless ? undefined : {});
    const response = await callAs(server.app, null, call as 'GET /', {
      headers: { ...browsers.get(id), ...key },
      ...(body === undefined ? {} : { body }),
    });
    const isJson = `${response.headers['content-type']}`.startsWith('application/json');
    const said = isJson ? response.json() : {};
    return { status: response.statusCode, code: said.code, body: isJson ? said : response.body };
  }

  /** Signs in again, because the earlier sign-in may have ended. */
  async function signIn(person: Pick<Colleague, 'id'>): Promise<void> {
    const opened = await aSignIn(world.ports, person);
    browsers.set(person.id, fromOwnPage(opened, world.client.id));
  }

  return {
    world,
    as: callAsColleague,
    signIn,
    /** Creates a signed-in person with the role. */
    async join(role: Role): Promise<Colleague> {
      const person = await aMemberOf(world.ports, world.client, { role });
      await signIn(person);
      return person;
    },
    refund: (person: Pick<Colleague, 'id'>, paymentId: string, amount?: number) =>
      callAsColleague(person, `POST /v1/payments/${paymentId}/refunds`, {
        body: amount === undefined ? {} : { amount },
        key: randomUUID(),
      }),
    request: (
      person: Pick<Colleague, 'id'>,
      paymentId: string,
      { key = randomUUID(), ...body }: { key?: string; amount?: number; note?: string } = {},
    ) => callAsColleague(person, `POST /v1/payments/${paymentId}/refund-requests`, { body, key }),
    decide: (person: Pick<Colleague, 'id'>, act: 'approve' | 'decline', { body }: CallAnswer) =>
      callAsColleague(person, `POST /v1/refund-requests/${body.id}/${act}`),
    /** Makes a payment that succeeds: 19.90 EUR, or 2500 JPY, times the quantity. */
    async purchase(given: { quantity?: number; currency?: string } = {}): Promise<string> {
      const session = await aSession(world, { captureMethod: 'automatic', ...given });
      const answer = await pay(world, session, cards.approved);
      return (answer as { body: { paymentId: string } }).body.paymentId;
    },
    /** Returns the refunds of the payment that the provider has made, in minor units. */
    async givenBack(paymentId: string): Promise<number[]> {
      const payment = await findPayment(world.database, world.client.id, paymentId);
      const ledger = await world.ledger(payment?.providerIntentId ?? '');
      return ledger.filter(({ kind }) => kind === 'refund').map(({ amount }) => amount);
    },
    async close() {
      await server.close();
      await world.close();
    },
  };
}
