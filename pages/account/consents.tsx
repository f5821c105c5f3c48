// The applications to which the person has granted access, each at one merchant.

import type { Consent } from '@svc/contract/developers/applications';
import { useMemo } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { RowList, type RowSpec } from '../kit/list/row-list.tsx';
import { SectionBox } from '../kit/parts/section-box.tsx';
import { timeFact } from '../kit/parts/time.tsx';
import { meaningOf, sortByWeight } from '../kit/scopes.ts';
import { Section } from '../kit/section.ts';

export function Consents() {
  const section = useMemo(
    () => new Section(async () => (await call('GET /v1/account/applications', {})).data),
    [],
  );
  return (
    <SectionBox
      section={section}
      title="Applications with access"
      intro="Programs and agents that act in your name at one merchant, with what you allowed."
    >
      {(consents) => <RowList spec={consentsSpec} section={section} rows={consents} />}
    </SectionBox>
  );
}

/**
 * With `mcp` the application may have made API tokens, which stay when the consent ends. Spec:
 * Authentication 5.
 */
const madeTokens = ({ scopes }: Consent): boolean => scopes.includes('mcp');

const consentsSpec: RowSpec<Consent> = {
  title: 'Applications with access',
  noun: ['application', 'applications'],
  keyOf: ({ id }) => id,
  nameOf: ({ applicationName }) => applicationName,
  tagsOf: ({ clientName }) => [{ text: `at ${clientName}`, tone: 'plain' }],
  factsOf: ({ createdAt }) => [timeFact('Allowed', createdAt)],
  textOf: ({ scopes }) => (
    <>
      <ul class="scopes">
        {sortByWeight(scopes).map((scope) => (
          <li key={scope}>{meaningOf(scope).title}</li>
        ))}
      </ul>
      <p class="fine">
        As long as you are an owner or admin there, it may also collect and release payments on
        hold.
      </p>
    </>
  ),
  actionsOf: (consent) => [
    {
      label: 'Revoke access',
      isDanger: true,
      question: {
        title: `Revoke the access of ${consent.applicationName}?`,
        yes: 'Revoke access',
        no: 'Keep access',
        text: <WhatRevokingDoes consent={consent} />,
      },
      action: () => call('DELETE /v1/account/applications/{id}', { id: consent.id }),
      said: `${consent.applicationName} no longer has access.${madeTokens(consent) ? ' API tokens that it made still work.' : ''}`,
    },
  ],
  empty: {
    title: 'No application has access',
    text: (
      <p>
        When an application asks for access, a page shows the request and the merchant. Access that
        you allow is listed here until you revoke it.
      </p>
    ),
  },
};

const WhatRevokingDoes = ({ consent }: { consent: Consent }) => (
  <>
    <p>Its access ends with its next request. It can ask you again.</p>
    {madeTokens(consent) && (
      <p>
        API tokens that it made in your name stay. Look through{' '}
        <a href={`/dashboard/${consent.clientId}/developers/tokens`}>
          your API tokens at {consent.clientName}
        </a>{' '}
        and revoke those that you do not recognise.
      </p>
    )}
  </>
);
