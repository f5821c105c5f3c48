// The person's own API tokens at one merchant. A value is shown once, when it is made.

import type { ApiToken } from '@svc/contract/api-tokens';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import type { Role } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Busy } from '../../kit/parts/form.tsx';
import { ActionButton, SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
import { meaningOf, sortByWeight } from '../../kit/scopes.ts';
import { Section } from '../../kit/section.ts';
import { type CreatedToken, MakeToken, RotateToken, TokenValue } from './tokens-forms.tsx';

type Tokens = Section<readonly ApiToken[]>;

export function TokensSection({ role }: { role: Role }) {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(async () => (await call('GET /v1/api-tokens', {}, { clientId })).data),
    [clientId],
  );
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedToken | null>(null);
  const begin = () => {
    section.forget();
    setMade(null);
    setMaking(true);
  };
  return (
    <SectionBox
      section={section}
      title="Your API tokens"
      intro="The passwords of your own programs at this merchant. A token can do what your role can do, or less, and stops when you leave."
    >
      {(tokens) => (
        <>
          {made && <TokenValue made={made} onDone={() => setMade(null)} />}
          {tokens.length === 0 && !isMaking && !made && <NoTokens />}
          <ul class="rows">
            {tokens.map((token) => (
              <TokenRow key={token.id} section={section} token={token} show={setMade} />
            ))}
          </ul>
          {isMaking ? (
            <MakeToken
              section={section}
              role={role}
              onMade={(token) => {
                setMaking(false);
                setMade({ token });
              }}
              onCancel={() => setMaking(false)}
            />
          ) : (
            <Busy kind="second" onClick={begin}>
              Create a token
            </Busy>
          )}
        </>
      )}
    </SectionBox>
  );
}

const NoTokens = () => (
  <Empty title="No token yet">
    <p>
      A program on your server calls the API with the merchant’s id as the user name and a token as
      the password. Give each program a token of its own: then one can be revoked alone.
    </p>
  </Empty>
);

type RowProps = {
  section: Tokens;
  token: ApiToken;
  show: (made: CreatedToken | null) => void;
};

function TokenRow({ section, token, show }: RowProps) {
  const { clientId } = useMerchant();
  const [isRotating, setRotating] = useState(false);
  const { id, name, description } = token;
  const revoke = () => {
    show(null);
    return section.change(
      id,
      () => call('DELETE /v1/api-tokens/{id}', { id }, { clientId }),
      `The token “${name}” is revoked.`,
    );
  };
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{name}</span>
        {token.scopes && <span class="tag">Limited</span>}
      </div>
      {description && <p class="row-text">{description}</p>}
      <TokenFacts token={token} />
      {token.scopes && (
        <p class="row-text">
          May:{' '}
          {sortByWeight(token.scopes)
            .map((scope) => meaningOf(scope).title)
            .join(' · ')}
        </p>
      )}
      <TroubleAt section={section} at={id} />
      {isRotating ? (
        <RotateToken
          section={section}
          token={token}
          onMade={(made, facts) => {
            setRotating(false);
            show({ token: made, ...facts });
          }}
          onCancel={() => setRotating(false)}
        />
      ) : (
        <div class="ways">
          <ActionButton
            section={section}
            at={`rotate ${id}`}
            about={name}
            onAction={() => setRotating(true)}
          >
            New value
          </ActionButton>
          <ActionButton
            section={section}
            at={id}
            about={name}
            isDanger
            onAction={revoke}
            question={{
              title: `Revoke “${name}”?`,
              yes: 'Revoke',
              no: 'Keep it',
              text: <p>Every program that uses it is refused from its very next request on.</p>,
            }}
          >
            Revoke
          </ActionButton>
        </div>
      )}
    </li>
  );
}

const TokenFacts = ({ token: { createdAt, lastUsedAt, expiresAt } }: { token: ApiToken }) => (
  <FactLine>
    <SaidAt said="Made" at={createdAt} />
    {lastUsedAt ? <SaidAt said="Last used" at={lastUsedAt} /> : 'Never used'}
    {expiresAt ? <SaidAt said="Ends" at={expiresAt} /> : 'Never ends'}
  </FactLine>
);
