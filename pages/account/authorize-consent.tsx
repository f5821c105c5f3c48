// The consent page: what the application asks for, at which merchant, and the two decisions.

import { may } from '@svc/contract/roles';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CallFailure, call } from '../kit/calls.ts';
import type { Interaction } from '../kit/doors.ts';
import { Busy, useAction } from '../kit/parts/form.tsx';
import { Headline } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { person as signedIn } from '../kit/person.ts';
import { roleName } from '../kit/roles.ts';
import { describeTogether, meaningOf, sortByWeight, type Weight } from '../kit/scopes.ts';

/**
 * A click within this time after the page appeared was meant for what was there before: an attack makes
 * people double-click and places a window of ours under the second click.
 */
const settlingMs = 700;

type Choice = Interaction['merchants'][number];

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
  const only = merchants.length === 1 ? merchants[0] : undefined;
  const [chosen, setChosen] = useState<Choice | null>(only ?? null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const isSettled = useSettled();
  const [missing, setMissing] = useState<'merchant' | 'scope' | null>(null);
  const scopes = asked.scopes.filter((scope) => !left.has(scope));
  const [given, setGiven] = useState<'allow' | 'refuse' | null>(null);
  const { run, isBusy, failure } = useAction(async (answer: 'allow' | 'refuse') => {
    setGiven(answer);
    try {
      const body =
        answer === 'allow' && chosen
          ? { decision: 'allow' as const, clientId: chosen.clientId, scopes }
          : { decision: 'refuse' as const };
      const { redirectTo } = await call(
        'POST /oauth/interactions/{uid}',
        { uid, body },
        { isVisitor: true },
      );
      location.assign(redirectTo);
      // The button stays busy until the browser has left the page.
      await new Promise(() => {});
    } catch (cause) {
      const code = cause instanceof CallFailure ? cause.code : null;
      if (code === 'authorization_not_found') return onOver();
      if (code === 'sign_in_required' || code === 'second_factor_required') return onStale();
      // The person is no member there any more: the list is read again, and another merchant can be chosen.
      if (code === 'client_not_found') {
        setChosen(null);
        onStale();
      }
      throw cause;
    }
  });
  const allow = () => {
    const isNothing = scopes.length === 0;
    setMissing(chosen ? (isNothing ? 'scope' : null) : 'merchant');
    if (chosen && !isNothing) void run('allow');
  };
  const toggle = (scope: string) =>
    setLeft(
      (old) => new Set(old.has(scope) ? [...old].filter((s) => s !== scope) : [...old, scope]),
    );
  return (
    <>
      <Headline title={`Give ${application.name} access?`}>
        Give <q>{application.name}</q> access?
      </Headline>
      <ApplicationIdentity application={application} />
      {failure && <Trouble hasFocus failure={failure} />}
      {merchants.length === 0 ? (
        <p class="hold-line">
          You work for no merchant at which your role lets applications in. Ask an owner, then start
          again at the application.
        </p>
      ) : (
        <>
          <Merchants
            {...{ merchants, chosen }}
            isAsked={missing === 'merchant'}
            onChoose={setChosen}
          />
          <Scopes scopes={asked.scopes} left={left} onToggle={toggle} />
          {missing === 'scope' && scopes.length === 0 && (
            <p class="field-error" role="alert">
              Tick at least one, or refuse.
            </p>
          )}
          <Bounds {...{ application, scopes }} isForAgents={asked.isForAgents} merchant={chosen} />
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
          onClick={() => void run('refuse')}
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
            {isLoopbackHost(redirectHost) && ', a program on this very computer'}.
          </>
        ) : (
          <>You then go on at the device that shows the code.</>
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
            Its name was chosen by <strong>{madeBy}</strong>, who made it here.
          </>
        )}
      </p>
      {isSelfNamed && (
        <p class="hold-line caution">
          Nobody here has checked this application: it has chosen its name itself. What is known is
          that <strong>{hostOf(id)}</strong> vouches for it. Allow it only if you trust that address
          and have just started it.
          {redirectHost &&
            isLoopbackHost(redirectHost) &&
            ' Any program on this computer may ask in its name.'}
        </p>
      )}
    </>
  );
}

/**
 * True for a loopback address, on which an application without a server of its own listens. RFC 8252 §7.3.
 */
const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);

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

type BoundsProps = {
  application: Interaction['application'];
  merchant: Choice | null;
  /** Requested only for /mcp, where each move of money is previewed and confirmed first. */
  isForAgents: boolean;
  /** The scopes that are ticked. */
  scopes: readonly string[];
};

/** What every consent permits, whatever is ticked. Contract §6: capture and cancel require the role. */
const Bounds = ({ application, merchant, isForAgents, scopes }: BoundsProps) => (
  <ul class="bounds">
    {isForAgents && (
      <li>It works through the tools for agents alone, which preview each move of money first.</li>
    )}
    {!isForAgents && merchant && may(merchant.role, 'holds.end') && (
      <li>
        <strong>Whatever is ticked:</strong> as you have the role {roleName(merchant.role)}, it may
        collect and release payments that are on hold.
      </li>
    )}
    {!isForAgents &&
      merchant &&
      may(merchant.role, 'checkout.vouch') &&
      describeTogether(scopes).map((each) => (
        <li key={each}>
          <strong>As both are ticked,</strong> it may {each}.
        </li>
      ))}
    <li>It may never do more than you may yourself, and only at this one merchant.</li>
    <li>{application.name} does not learn your password.</li>
    <li>
      You can take the access back at any time, in your account. It ends at once
      {scopes.includes('mcp') && ', but API tokens that it made stay until you revoke them too'}.
    </li>
  </ul>
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
