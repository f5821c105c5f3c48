// The wallet's notices: an RSA signature over id, time, the webhook's id and the body's checksum,
// checked with a certificate of the wallet. What a notice states about money is
// never believed.

import { verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { dateOf } from '@svc/contract/values/instants';
import type { Notice, ReceivedNotice } from '../../engine/ports.ts';
import type { Certificates } from './certificates.ts';
import {
  fieldsOf,
  makerOfRefund,
  makerOfUnit,
  marksOfUnit,
  nameIn,
  orderOfCapture,
  orderOfRefund,
} from './translate.ts';

export type NoticeAccount = {
  /** The merchant that the webhook belongs to. */
  readonly accountId: string;
  readonly livemode: boolean;
};

const toleranceMs = 300_000;
const mostBody = 256 * 1024;
const mostHeader = 1024;

type Transmission = { id: string; timeText: string; signature: Buffer; certUrl: string };

const singleHeader = (headers: ReceivedNotice['headers'], name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value.length > 0 && value.length <= mostHeader ? value : null;
};

const readTransmission = (
  headers: ReceivedNotice['headers'],
  nowMs: number,
): Transmission | null => {
  const id = singleHeader(headers, 'paypal-transmission-id');
  const timeText = singleHeader(headers, 'paypal-transmission-time');
  const signature = singleHeader(headers, 'paypal-transmission-sig');
  const certUrl = singleHeader(headers, 'paypal-cert-url');
  if (!id || !timeText || !signature || !certUrl) return null;
  if (singleHeader(headers, 'paypal-auth-algo') !== 'SHA256withRSA') return null;
  if (!/^[\w-]{1,64}$/.test(id) || !/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return null;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(timeText)) return null;
  const off = Math.abs(nowMs - (dateOf(timeText)?.getTime() ?? NaN));
  if (!(off <= toleranceMs)) return null;
  return { id, timeText, signature: Buffer.from(signature, 'base64'), certUrl };
};

/**
 * Returns the notice when it is genuine: signed for the service's webhook, whose id is the secret,
 * at most 300 s old or early by `nowMs`, about this account. Returns null otherwise.
 */
export async function readWalletNotice(
  account: NoticeAccount,
  received: ReceivedNotice,
  by: { certificates: Certificates; nowMs: number },
): Promise<Notice | null> {
  const { rawBody, headers, secret: webhookId } = received;
  if (rawBody.length > mostBody || !/^\w{1,50}$/.test(webhookId)) return null;
  const sent = readTransmission(headers, by.nowMs);
  if (!sent) return null;
  const certificate = await by.certificates.get(sent.certUrl, by.nowMs);
  if (certificate?.publicKey.asymmetricKeyType !== 'rsa') return null;
  const signed = `${sent.id}|${sent.timeText}|${webhookId}|${crc32(rawBody)}`;
  const isSigned = verify('sha256', Buffer.from(signed), certificate.publicKey, sent.signature);
  return isSigned ? parse(rawBody, account) : null;
}

function parse(rawBody: Buffer, account: NoticeAccount): Notice | null {
  try {
    return readEvent(JSON.parse(rawBody.toString('utf8')), account);
  } catch {
    return null;
  }
}

/**
 * Returns the merchants that an event names; when one is another merchant, the event is not about
 * this account.
 */
const payeesOf = (resource: Readonly<Record<string, unknown>>): unknown[] => {
  const units = Array.isArray(resource.purchase_units) ? resource.purchase_units : [];
  return [resource, ...(units as unknown[])]
    .map((part) => fieldsOf(fieldsOf(part).payee).merchant_id)
    .filter((id) => id !== undefined);
};

const orderOf = (type: unknown, resource: Readonly<Record<string, unknown>>): string | null => {
  if (type === 'checkout-order') return nameIn(resource.id);
  if (type === 'capture') return orderOfCapture(resource);
  return type === 'refund' ? orderOfRefund(resource.custom_id) : null;
};

/** Returns who made the event's object, where the service made it, by its marks. */
function readMade(type: unknown, resource: Readonly<Record<string, unknown>>) {
  const { custom_id: customId } = resource;
  if (type === 'refund')
    return orderOfRefund(customId) ? { isMarked: true, ...makerOfRefund(customId) } : {};
  const units = Array.isArray(resource.purchase_units) ? resource.purchase_units : [];
  const unit = type === 'checkout-order' ? fieldsOf(units[0]) : resource;
  return marksOfUnit(unit) ? { isMarked: true, ...makerOfUnit(unit) } : {};
}

/** Returns null unless it is an event about the account. */
export function readEvent(told: unknown, account: NoticeAccount): Notice | null {
  const event = fieldsOf(told);
  const id = nameIn(event.id);
  const type = nameIn(event.event_type);
  const createdAt = typeof event.create_time === 'string' ? dateOf(event.create_time) : undefined;
  if (!id || !type || !createdAt) return null;
  const resource = fieldsOf(event.resource);
  if (payeesOf(resource).some((payee) => payee !== account.accountId)) return null;
  return {
    id,
    type,
    intentId: orderOf(event.resource_type, resource),
    createdAt,
    livemode: account.livemode,
    kept: {
      objectId: nameIn(resource.id),
      object: nameIn(event.resource_type),
      ...readMade(event.resource_type, resource),
    },
  };
}
