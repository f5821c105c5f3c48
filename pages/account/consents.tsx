// The applications to which the person has granted access, each at one merchant.

import type { Consent } from '@svc/contract/developers/applications';
import { useMemo } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { ActionButton, SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../kit/parts/time.tsx';
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
      {(consents) => (
        <>
          {consents.length === 0 && (
            <Empty title="No application has access">
              <p>
                When an application asks for access, a page shows the request and the merchant.
                Access that you allow is listed here until you revoke it.
              </p>
            </Empty>
          )}
          <ul class="rows">
            {consents.map((consent) => (
              <ConsentRow key={consent.id} section={section} consent={consent} />
            ))}
          </ul>
        </>
      )}
    </SectionBox>
  );
}

/**
 * With `mcp` the application may have made API tokens, which stay when the consent ends. Spec:
 * Authentication 5.
 */
const madeTokens = ({ scopes }: Consent): boolean => scopes.includes('mcp');

type RowProps = {
  section: Section<readonly Consent[]>;
  consent: Consent;
};

function ConsentRow({ section, consent }: RowProps) {
  const stays = madeTokens(consent) ? ' API tokens that it made still work.' : '';
  const revoke = () =>
    section.change(
      consent.id,
      () => call('DELETE /v1/account/applications/{id}', { id: consent.id }),
      `${consent.applicationName} no longer has access.${stays}`,
    );
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{consent.applicationName}</span>
        <span class="tag">at {consent.clientName}</span>
      </div>
      <FactLine>
        <SaidAt said="Allowed" at={consent.createdAt} />
      </FactLine>
      <ul class="scopes">
        {sortByWeight(consent.scopes).map((scope) => (
          <li key={scope}>{meaningOf(scope).title}</li>
        ))}
      </ul>
      <p class="fine">
        As long as you are an owner or admin there, it may also collect and release payments on
        hold.
      </p>
      <TroubleAt section={section} at={consent.id} />
      <div class="ways">
        <ActionButton
          section={section}
          at={consent.id}
          about={consent.applicationName}
          isDanger
          onAction={revoke}
          question={{
            title: `Revoke the access of ${consent.applicationName}?`,
            yes: 'Revoke access',
            no: 'Keep access',
            text: <WhatRevokingDoes consent={consent} />,
          }}
        >
          Revoke access
        </ActionButton>
      </div>
    </li>
  );
}

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
