// A signature explained step by step, as a receiver checks it: header, signed text, each secret, age.
// Contract §7, Signature.

import type { SignatureCheck } from '@svc/contract/developers/webhook-tester';
import { cutText } from '@svc/contract/values/characters';
import { schemeNames, verdictWords } from './webhook-words.ts';

type StepsProps = { readonly check: SignatureCheck; readonly body: string };

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export function SignatureSteps({ check, body }: StepsProps) {
  const { isGood, words } = verdictWords(check);
  const isThere = check.verdict !== 'no_header';
  return (
    <details class="opened">
      <summary>
        {schemeNames[check.scheme]}
        <span class={isGood ? 'tag good' : 'tag soon'}>{isGood ? 'Valid' : 'Not valid'}</span>
      </summary>
      <p class="row-text">{words}</p>
      {isThere && (
        <ol class="steps">
          <HeaderStep check={check} />
          {check.signedPrefix !== null && <TextStep check={check} body={body} />}
          {check.secrets.length > 0 && <SecretStep check={check} />}
          {check.ageSeconds !== null && <AgeStep check={check} />}
        </ol>
      )}
    </details>
  );
}

const headerNames = {
  svc: 'Svc-Signature says',
  standard: 'webhook-id, webhook-timestamp and webhook-signature say',
} as const;

const HeaderStep = ({ check }: { check: SignatureCheck }) => (
  <li>
    <strong>Take the header apart.</strong> {headerNames[check.scheme]}:
    <dl class="changes">
      <div>
        <dt>signed at</dt>
        <dd>
          {check.timestamp === null ? (
            'no time that can be read'
          ) : (
            <>
              <code>{check.timestamp}</code>, {dates.format(new Date(check.timestamp * 1000))}
            </>
          )}
        </dd>
      </div>
      {check.candidates.map(({ value, isMatch }) => (
        <div key={value}>
          <dt>signature</dt>
          <dd>
            <code>{value}</code>{' '}
            {isMatch ? '✓ made with your secret' : '✗ made with no secret here'}
          </dd>
        </div>
      ))}
    </dl>
  </li>
);

const TextStep = ({ check, body }: StepsProps) => (
  <li>
    <strong>Put the signed text together:</strong>{' '}
    {check.scheme === 'svc' ? 'the time' : 'id, time'} and the raw body, separated by dots. Use the
    body exactly as received, byte for byte.
    <code class="code-line">{`${check.signedPrefix}${cutText(body, 120, '…')}`}</code>
  </li>
);

const keys = {
  svc: 'The key is the whole secret, as text; the result is written in hex.',
  standard:
    'The key is the part after svc_whsec_, base64-decoded; the result is written in base64.',
} as const;

const SecretStep = ({ check }: { check: SignatureCheck }) => (
  <li>
    <strong>HMAC-SHA256 with the endpoint’s secret,</strong> made by the server just now.{' '}
    {keys[check.scheme]}
    <dl class="changes">
      {check.secrets.map(({ endpointId, which, expected, isMatch }) => (
        <div key={`${endpointId} ${which}`}>
          <dt>{which === 'current' ? 'secret' : 'secret before it'}</dt>
          <dd>
            <code>{expected}</code> {isMatch ? '✓ is in the header' : '✗ is not in the header'}
          </dd>
        </div>
      ))}
    </dl>
    One matching signature is enough. Compare in constant time.
    {check.secrets.some(({ isMatch }) => !isMatch) && (
      <p class="fine">
        Only the first characters are shown. The full value would let the sender forge a delivery.
      </p>
    )}
  </li>
);

const AgeStep = ({ check }: { check: SignatureCheck }) => (
  <li>
    <strong>Look at the age:</strong> {check.ageSeconds} seconds when it came;{' '}
    {check.toleranceSeconds} either way are fine.
  </li>
);
