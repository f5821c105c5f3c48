// The merchant's profile: what the hosted pages show to buyers. Contract §3, Merchant.

import type { Client } from '@svc/contract/settings/clients';
import { useMemo } from 'preact/hooks';
import { call, type FieldFault } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { Section } from '../../kit/section.ts';
import { type Refused, sendTyped } from '../../kit/typed-fields.ts';

export function BusinessSection() {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(() => call('GET /v1/client', {}, { clientId })),
    [clientId],
  );
  const save = (body: Profile) => {
    const send = () => call('PATCH /v1/client', { body }, { clientId });
    return section.make('business', send, 'Saved. Buyers see it from now on.');
  };
  return (
    <SectionBox
      section={section}
      title="Business"
      intro="Your name and looks on the checkout page, on the saved-cards page and beside the bank’s authentication."
    >
      {(client) => <BusinessForm key={client.updatedAt} client={client} save={save} />}
    </SectionBox>
  );
}

/** The merchant's profile for buyers. Null removes a value. */
type Profile = Pick<
  Client,
  | 'businessName'
  | 'businessAddress'
  | 'taxNumber'
  | 'logoUrl'
  | 'supportEmail'
  | 'termsUrl'
  | 'brandColor'
  | 'timeZone'
>;

/** What the service refuses, in words for people. */
const faults: Readonly<Record<string, string>> = {
  businessName: 'Use visible letters, digits and signs only.',
  businessAddress: 'Type one to eight lines of visible signs.',
  taxNumber: 'Type it as your tax office writes it, such as DE123456789.',
  logoUrl: 'Type a whole https address, such as https://shop.example/logo.svg.',
  supportEmail: 'Type an email address, such as help@shop.example.',
  termsUrl: 'Type a whole https address, such as https://shop.example/terms.',
  timeZone: 'There is no such time zone. Type one such as Europe/Berlin.',
};

function faultOf({ path }: Refused): FieldFault | null {
  const text = faults[path];
  return text === undefined ? null : { name: path, text };
}

function profileIn(fields: Fields): Profile {
  const textOf = (name: keyof Profile) => fields(name).trim() || null;
  return {
    businessName: textOf('businessName'),
    businessAddress: textOf('businessAddress'),
    taxNumber: textOf('taxNumber'),
    logoUrl: textOf('logoUrl'),
    supportEmail: textOf('supportEmail'),
    termsUrl: textOf('termsUrl'),
    brandColor: textOf('brandColor'),
    timeZone: fields('timeZone').trim() || 'UTC',
  };
}

type FormProps = { client: Client; save: (profile: Profile) => Promise<unknown> };

function BusinessForm({ client, save }: FormProps) {
  return (
    <Form
      submit="Save"
      kind="second main"
      send={(fields) => sendTyped(async () => save(profileIn(fields)), faultOf)}
    >
      <SellerFields client={client} />
      <Field
        label="Logo"
        name="logoUrl"
        type="url"
        maxLength={1000}
        value={client.logoUrl ?? ''}
        hint="https address of one image. It is shown on white, at most 160 by 40 pixels."
        isOptional
      />
      <Field
        label="Email for questions"
        name="supportEmail"
        type="email"
        maxLength={320}
        value={client.supportEmail ?? ''}
        isOptional
      />
      <Field
        label="Terms"
        name="termsUrl"
        type="url"
        maxLength={1000}
        value={client.termsUrl ?? ''}
        hint="https address of your terms of sale."
        isOptional
      />
      <Field
        label="Colour"
        name="brandColor"
        maxLength={7}
        value={client.brandColor ?? ''}
        pattern="#[0-9a-fA-F]{6}"
        title="# and six digits, such as #0a7d4f"
        hint="Colour of the pay button, as #rrggbb. Its text is black or white, whichever is easier to read."
        isOptional
      />
      <Field
        label="Time zone"
        name="timeZone"
        maxLength={64}
        value={client.timeZone}
        hint="Lists, reports and exports use the days of this time zone, such as Europe/Berlin."
      />
    </Form>
  );
}

/** Who sells, on the pages for buyers and on receipts. */
const SellerFields = ({ client }: Pick<FormProps, 'client'>) => (
  <>
    <Field
      label="Business name"
      name="businessName"
      maxLength={100}
      value={client.businessName ?? ''}
      hint={`Empty: buyers see “${client.name}”.`}
      isOptional
    />
    <Field
      label="Address"
      name="businessAddress"
      maxLength={500}
      lines={4}
      value={client.businessAddress ?? ''}
      hint="The seller’s postal address on receipts, as on an envelope."
      isOptional
    />
    <Field
      label="Tax number"
      name="taxNumber"
      maxLength={40}
      value={client.taxNumber ?? ''}
      hint="On receipts, as your tax office writes it."
      isOptional
    />
  </>
);
