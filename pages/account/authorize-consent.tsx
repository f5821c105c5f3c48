// The consent page: what the application asks for, at which merchant, and the two decisions.

import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import type { Decision, Interaction } from '../kit/doors.ts';
import { Busy, useAction } from '../kit/parts/form.tsx';
import { Headline } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { person as signedIn } from '../kit/person.ts';
import { roleName } from '../kit/roles.ts';
import { meaningOf, sortByWeight, type Weight } from '../kit/scopes.ts';
import { boundsOf, type Choice, ConsentState } from './consent-state.ts';

/**
 * A click within this time after the page appeared was meant for what was there before: an attack makes
 * people double-click and places a window of ours under the second click.
 */
const settlingMs = 700;

type ConsentProps = {
  uid: string;
  asked: Interaction;
  person: NonNullable<Interaction['person']>;
  onOver: () => void;
  /** Called when the page is out of date and must be read again. */
  onStale: () => void;
};

export function Consent({ uid, asked, person, onOver, onStale }: ConsentProps) {
  const { application, merchants } = asked;
  const [state] = useState(() => new ConsentState(asked));
  const chosen = state.chosen.value;
  const missing = state.missing.value;
  const isSettled = useSettled();
  const scopes = state.tickedOf(asked.scopes);
  const [given, setGiven] = useState<'allow' | 'refuse' | null>(null);
  const { run, isBusy, failure } = useAction(async (body: Decision) => {
    setGiven(body.decision);
    try {
      const { redirectTo } = await call(
        'POST /oauth/interactions/{uid}',
        { uid, body },
        { isVisitor: true },
      );
      location.assign(redirectTo);
      // The button stays busy until the browser has left the page.
      await new Promise(() => {});
    } catch (cause) {
      const next = state.fail(cause);
      if (next === 'over') return onOver();
      if (next !== 'shown') onStale();
      if (next !== 'stale') throw cause;
    }
  });
  const allow = () => {
    const decision = state.allow(asked);
    if (decision) void run(decision);
  };
  return (
    <>
      <Headline title={`Give ${application.name} access?`}>
        Give <q>{application.name}</q> access?
      </Headline>
      <ApplicationIdentity application={application} />
      {failure && <Trouble hasFocus failure={failure} />}
      {merchants.length === 0 ? (
        <p class="hold-line">
          No merchant of yours lets your role give access to applications. Ask an owner, then start
          again in the application.
        </p>
      ) : (
        <>
          <Merchants
            {...{ merchants, chosen }}
            isAsked={missing === 'merchant'}
            onChoose={(merchant) => {
              state.chosen.value = merchant;
            }}
          />
          <Scopes
            scopes={asked.scopes}
            left={state.left.value}
            onToggle={(scope) => state.toggle(scope)}
          />
          {missing === 'scope' && scopes.length === 0 && (
            <p class="field-error" role="alert">
              Tick at least one, or refuse.
            </p>
          )}
          <ul class="bounds">
            {boundsOf({
              application,
              scopes,
              merchant: chosen,
              isForAgents: asked.isForAgents,
            }).map(({ strong, text }) => (
              <li key={text}>
                {strong && <strong>{strong} </strong>}
                {text}
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="answers">
        {merchants.length > 0 && (
          <Busy
            isBusy={isBusy && given === 'allow'}
            isBlocked={isBusy || !isSettled}
            onClick={allow}
          >
            Allow
          </Busy>
        )}
        <Busy
          kind="second"
          isBusy={isBusy && given === 'refuse'}
          isBlocked={isBusy}
          onClick={() => void run({ decision: 'refuse' })}
        >
          Refuse
        </Busy>
      </div>
      <SignedInAs email={person.email} onSignedOut={onStale} />
    </>
  );
}

/** Returns whether the page has been visible long enough for a click to be intended. */
function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      setSettled(false);
      clearTimeout(timer);
      timer = setTimeout(() => setSettled(true), settlingMs);
    };
    begin();
    addEventListener('focus', begin);
    return () => {
      removeEventListener('focus', begin);
      clearTimeout(timer);
    };
  }, []);
  return isSettled;
}

/** The application gives its name itself. A web address proves more than a name. */
function ApplicationIdentity({ application }: { application: Interaction['application'] }) {
  const { id, uri, redirectHost, isSelfNamed, madeBy } = application;
  return (
    <>
      <p class="lead">
        {redirectHost ? (
          <>
            You then go on to <strong>{redirectHost}</strong>
            {isOfThisComputer(redirectHost) && ', a program on this computer'}.
          </>
        ) : (
          <>Then continue on the device that shows the code.</>
        )}
        {uri && !isSelfNamed && hostOf(uri) !== redirectHost && (
          <>
            {' '}
            Its page: <strong>{hostOf(uri)}</strong>.
          </>
        )}
        {madeBy && (
          <>
            {' '}
            Its name was chosen by <strong>{madeBy}</strong>, who registered it here.
          </>
        )}
      </p>
      {isSelfNamed && (
        <p class="hold-line caution">
          This application is not verified, and it chose its name itself. We only know that{' '}
          <strong>{hostOf(id)}</strong> vouches for it. Allow it only if you trust that address and
          have just started the application.
          {redirectHost &&
            isOfThisComputer(redirectHost) &&
            ' Any program on this computer may ask in its name.'}
        </p>
      )}
    </>
  );
}

/**
 * True for a loopback address, on which an application without a server of its own listens. RFC 8252 §7.3.
 */
const isOfThisComputer = (host: string): boolean => isLoopbackHost(host.replace(/:\d+$/, ''));

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

type MerchantsProps = {
  merchants: readonly Choice[];
  chosen: Choice | null;
  /** True once the person tried to continue without a choice. */
  isAsked: boolean;
  onChoose: (merchant: Choice) => void;
};

function Merchants({ merchants, chosen, isAsked, onChoose }: MerchantsProps) {
  const first = useRef<HTMLInputElement>(null);
  const isMissing = isAsked && !chosen;
  useLayoutEffect(() => {
    if (isMissing) first.current?.focus();
  }, [isMissing]);
  return (
    <fieldset class="consent" aria-describedby={isMissing ? 'choose-error' : undefined}>
      <legend>{merchants.length > 1 ? 'At which merchant?' : 'At this merchant'}</legend>
      {merchants.map((merchant, index) => (
        <label key={merchant.clientId} class="consent-line">
          <input
            ref={index === 0 ? first : null}
            type="radio"
            name="merchant"
            value={merchant.clientId}
            checked={chosen?.clientId === merchant.clientId}
            onChange={() => onChoose(merchant)}
          />
          <span>
            <strong>{merchant.name}</strong>
            <span class="label more">Your role: {roleName(merchant.role)}</span>
          </span>
        </label>
      ))}
      {isMissing && (
        <p class="field-error" id="choose-error" role="alert">
          Choose the merchant first.
        </p>
      )}
    </fieldset>
  );
}

const badges: Readonly<Record<Weight, string | null>> = {
  money: 'Moves money',
  access: 'Gives access',
  change: null,
  see: null,
};

type ScopesProps = {
  scopes: readonly string[];
  left: ReadonlySet<string>;
  onToggle: (scope: string) => void;
};

const Scopes = ({ scopes, left, onToggle }: ScopesProps) => (
  <fieldset class="consent">
    <legend>It asks to</legend>
    {sortByWeight(scopes).map((scope) => {
      const { title, more, weight } = meaningOf(scope);
      return (
        <label key={scope} class="consent-line">
          <input
            type="checkbox"
            name="scope"
            value={scope}
            checked={!left.has(scope)}
            onChange={() => onToggle(scope)}
          />
          <span>
            {title} {badges[weight] && <span class={`weight ${weight}`}>{badges[weight]}</span>}
            {more && <span class="label more">{more}</span>}
          </span>
        </label>
      );
    })}
  </fieldset>
);

function SignedInAs({ email, onSignedOut }: { email: string; onSignedOut: () => void }) {
  const { run, isBusy, failure } = useAction(async () => {
    await call('POST /v1/account/sign-out', { body: {} }, { isVisitor: true });
    signedIn.value = null;
    onSignedOut();
  });
  return (
    <>
      {failure && <Trouble hasFocus failure={failure} />}
      <p class="beside">
        <span class="label">Signed in as {email}</span>
        <Busy kind="link" isBusy={isBusy} onClick={() => void run()}>
          Not you?
        </Busy>
      </p>
    </>
  );
}
