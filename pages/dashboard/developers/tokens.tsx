// The person's own API tokens at one merchant. A value is shown once, when it is made.

import type { ApiToken } from '@svc/contract/developers/api-tokens';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { type RowAction, RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import type { Role } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { scopesInWords } from '../../kit/scopes.ts';
import { Section } from '../../kit/section.ts';
import { type CreatedToken, MakeToken, RotateToken, TokenValue } from './tokens-forms.tsx';

type Tokens = Section<readonly ApiToken[]>;

export function TokensSection({ role }: { role: Role }) {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(async () => (await call('GET /v1/api-tokens', {}, { clientId })).data),
    [clientId],
  );
  const [made, setMade] = useState<CreatedToken | null>(null);
  const makeForm = (close: () => void) => (
    <MakeToken
      section={section}
      role={role}
      onMade={(token) => {
        close();
        setMade({ token });
      }}
      onCancel={close}
    />
  );
  return (
    <SectionBox
      section={section}
      title="Your API tokens"
      intro="Passwords for your own programs at this merchant. A token can do at most what your role can do, and stops when you leave."
    >
      {(tokens) => (
        <>
          {made && <TokenValue made={made} onDone={() => setMade(null)} />}
          <RowList
            spec={tokensSpec({ section, clientId, show: setMade })}
            section={section}
            rows={tokens}
            add={{ label: 'Create a token', onOpen: () => setMade(null), form: makeForm }}
          />
        </>
      )}
    </SectionBox>
  );
}

type Given = {
  readonly section: Tokens;
  readonly clientId: string;
  readonly show: (made: CreatedToken | null) => void;
};

const tokensSpec = (given: Given): RowSpec<ApiToken> => ({
  title: 'Your API tokens',
  noun: ['token', 'tokens'],
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  tagsOf: ({ scopes }) => [scopes !== null && { text: 'Limited', tone: 'plain' }],
  factsOf: ({ createdAt, lastUsedAt, expiresAt }) => [
    timeFact('Made', createdAt),
    lastUsedAt ? timeFact('Last used', lastUsedAt) : 'Never used',
    expiresAt ? timeFact('Ends', expiresAt) : 'Never ends',
  ],
  textOf: ({ description, scopes }) => (
    <>
      {description && <p class="row-text">{description}</p>}
      {scopes && <p class="row-text">May: {scopesInWords(scopes)}</p>}
    </>
  ),
  actionsOf: (token) => actionsOf(token, given),
  empty: {
    title: 'No token yet',
    text: (
      <p>
        A program on your server calls the API with the merchant’s id as the user name and a token
        as the password. Give each program its own token, so that you can revoke one alone.
      </p>
    ),
  },
});

const actionsOf = (token: ApiToken, { section, clientId, show }: Given): readonly RowAction[] => [
  {
    label: 'New value',
    form: (close) => (
      <RotateToken
        section={section}
        token={token}
        onMade={(made, facts) => {
          close();
          show({ token: made, ...facts });
        }}
        onCancel={close}
      />
    ),
  },
  {
    label: 'Revoke',
    isDanger: true,
    action: () => {
      show(null);
      return call('DELETE /v1/api-tokens/{id}', { id: token.id }, { clientId });
    },
    said: `The token “${token.name}” is revoked.`,
    question: {
      title: `Revoke “${token.name}”?`,
      yes: 'Revoke',
      no: 'Keep it',
      text: <p>Every program that uses it is refused from its next request on.</p>,
    },
  },
];
