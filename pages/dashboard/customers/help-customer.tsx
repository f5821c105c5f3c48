// What support does for a customer: mails the link to the customer's own page, and corrects name, language and address.

import type { Customer } from '@svc/contract/customers/customers';
import { type BuyerLanguage, languageNames } from '@svc/contract/settings/languages';
import { useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { InstantText } from '../../kit/parts/bits.tsx';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Field, Form } from '../../kit/parts/form.tsx';
import { Select } from '../../kit/parts/inputs.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { readOnFailure, useResource } from '../../kit/read.ts';

type DialogProps = {
  readonly customerId: string;
  readonly onDone: (text: string) => unknown;
  readonly onClose: () => void;
};

const Cancel = ({ close }: { close: () => void }) => (
  <button type="button" class="second" onClick={close}>
    Cancel
  </button>
);

/** A button that opens the dialog which mails the link; nothing for a role that may not. */
export function MailPageLink({ customerId, onDone }: Omit<DialogProps, 'onClose'>) {
  const [isOpen, setOpen] = useState(false);
  if (!mayDo(useMerchant(), 'customers.write')) return null;
  return (
    <>
      <button type="button" class="second" onClick={() => setOpen(true)}>
        Mail the customer’s page
      </button>
      {isOpen && (
        <MailDialog customerId={customerId} onDone={onDone} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function MailDialog({ customerId, onDone, onClose }: DialogProps) {
  const { clientId } = useMerchant();
  const { content, failure, again } = useResource('GET /v1/customers/{customerId}/address', {
    customerId,
  });
  const isUnknown = failure?.status === 404;
  return (
    <Dialog title="Mail the customer’s page" onClose={onClose}>
      {(close) => (
        <>
          {isUnknown && (
            <p>
              No customer is stored for this buyer, so there is no page. The buyer’s receipt can be
              mailed.
            </p>
          )}
          {failure && !isUnknown && <Trouble failure={failure} onRetry={again} />}
          {!content && !failure && <Bones lines={2} />}
          {!content && (
            <div class="form-ways">
              <Cancel close={close} />
            </div>
          )}
          {content && (
            <Form
              submit={`Mail it to ${content.email}`}
              send={async () => {
                const path = 'POST /v1/customers/{customerId}/page-links/send';
                await call(path, { customerId }, { clientId });
                close();
                onDone(`The link is on its way to ${content.email}.`);
              }}
              after={<Cancel close={close} />}
            >
              <p>
                The mail has a link to the page where the customer sees purchases, saved cards and
                subscriptions and changes them. It works for seven days.
              </p>
            </Form>
          )}
        </>
      )}
    </Dialog>
  );
}

type HelpProps = {
  readonly customer: Customer;
  /** Reads the customer again. */
  readonly again: () => Promise<unknown>;
};

export function HelpCustomer({ customer, again }: HelpProps) {
  const { id } = customer;
  const [opened, setOpened] = useState<'details' | 'address' | null>(null);
  const address = useResource('GET /v1/customers/{customerId}/address', { customerId: id });
  const [news, tell] = useNews(() => Promise.all([again(), address.again()]));
  if (!mayDo(useMerchant(), 'customers.write')) return null;
  const props = { customer, customerId: id, onDone: tell, onClose: () => setOpened(null) };
  const pending = address.content?.pendingEmail;
  return (
    <Block title="Help this customer">
      <News text={news} />
      {address.failure && <Trouble failure={address.failure} onRetry={address.again} />}
      {pending && <Pending {...props} {...pending} again={address.again} />}
      <p class="ways">
        <MailPageLink customerId={id} onDone={tell} />
        <button type="button" class="second" onClick={() => setOpened('details')}>
          Correct name or language
        </button>
        <button type="button" class="second" onClick={() => setOpened('address')}>
          Correct the address
        </button>
      </p>
      {opened === 'details' && <DetailsDialog {...props} />}
      {opened === 'address' && <AddressDialog {...props} />}
    </Block>
  );
}

type PendingProps = Pick<DialogProps, 'customerId' | 'onDone'> & {
  readonly email: string;
  readonly expiresAt: string;
  readonly again: () => Promise<unknown>;
};

/** The address that waits for its reader, with the button that takes it back. */
function Pending({ customerId, email, expiresAt, onDone, again }: PendingProps) {
  const { clientId } = useMerchant();
  return (
    <>
      <p>
        {email} waits to be confirmed by its reader until <InstantText at={expiresAt} />. Until
        then, the former address counts.
      </p>
      <ActionButton
        kind="second"
        failed="The correction was not taken back"
        about={email}
        onAction={async () => {
          const path = 'DELETE /v1/customers/{customerId}/address';
          await readOnFailure(again, () => call(path, { customerId }, { clientId }));
          onDone(`${email} will not become the customer’s address.`);
        }}
      >
        Take it back
      </ActionButton>
    </>
  );
}

type CorrectProps = DialogProps & Pick<HelpProps, 'customer'>;

function DetailsDialog({ customer, onDone, onClose }: CorrectProps) {
  const { clientId } = useMerchant();
  return (
    <Dialog title="Correct name or language" onClose={onClose}>
      {(close) => (
        <Form
          submit="Save"
          send={async (field) => {
            const name = field('name').trim() || null;
            const language = (field('language') || null) as BuyerLanguage | null;
            // Only what was changed here: the customer may have changed the other meanwhile.
            const body = {
              ...(name === customer.name ? {} : { name }),
              ...(language === customer.language ? {} : { language }),
            };
            if (Object.keys(body).length > 0) {
              const path = 'PATCH /v1/customers/{customerId}';
              await call(path, { customerId: customer.id, body }, { clientId });
            }
            close();
            onDone('Saved. The audit log names you and what was changed.');
          }}
          after={<Cancel close={close} />}
        >
          <Field
            label="Name"
            name="name"
            value={customer.name ?? ''}
            maxLength={250}
            isOptional
            hasFocus
          />
          <Select
            label="Language of mails and of the customer’s page"
            name="language"
            value={customer.language ?? ''}
            choices={{ '': 'That of the last payment', ...languageNames }}
          />
        </Form>
      )}
    </Dialog>
  );
}

function AddressDialog({ customer, onDone, onClose }: CorrectProps) {
  const { clientId } = useMerchant();
  return (
    <Dialog title="Correct the address" onClose={onClose}>
      {(close) => (
        <Form
          submit="Ask its reader to confirm"
          send={async (field) => {
            const email = field('email').trim();
            const path = 'POST /v1/customers/{customerId}/address';
            await call(path, { customerId: customer.id, body: { email } }, { clientId });
            close();
            onDone(`${email} was asked to confirm, within a day.`);
          }}
          after={<Cancel close={close} />}
        >
          <Field
            label="Address"
            name="email"
            type="email"
            value={customer.email}
            hint="A link goes to this address. Once its reader has confirmed it, it becomes the customer’s, and the former address is told. It opens nothing by itself."
            hasFocus
          />
        </Form>
      )}
    </Dialog>
  );
}
