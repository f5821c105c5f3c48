// The frame around every page of a merchant: its parts, the other merchants, the person.

import type { OwnMembership } from '@svc/contract/account/account';
import { firstGrapheme } from '@svc/contract/values/characters';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  addressOf,
  type Group,
  isGroup,
  menuPartOf,
  partOf,
  parts,
  topParts,
} from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { isTestMode, modeName } from '../../kit/mode.ts';
import { Menu } from '../../kit/parts/bits.tsx';
import { useAction } from '../../kit/parts/form.tsx';
import { SandboxClock } from '../../kit/parts/sandbox-clock.tsx';
import { Trouble } from '../../kit/parts/states.tsx';
import { person } from '../../kit/person.ts';
import { goTo, place } from '../../kit/router.ts';
import { KeyboardHelp } from './keyboard-help.tsx';
import { sectionsSeen, titleOf } from './sections.ts';

type FrameProps = {
  /** The person's other merchants. */
  readonly others: readonly OwnMembership[];
  /** The search box. */
  readonly search: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Frame({ others, search, children }: FrameProps) {
  const { isSandbox } = useMerchant();
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {isSandbox && (
        <section class="ribbon" aria-label={modeName()}>
          <strong>{modeName()}</strong> <span>no real money moves here.</span>{' '}
          {!isTestMode() && <SandboxClock />}
        </section>
      )}
      <header class="head">
        <Drawer />
        <MerchantSwitch others={others} />
        {search}
        <PersonMenu />
      </header>
      <div class="frame-body">
        <nav class="side" aria-label="Merchant">
          <PartLinks />
        </nav>
        {children}
      </div>
      <KeyboardHelp />
    </div>
  );
}

/** The frame before it is known whose it is: as index.html has it, so that nothing moves when the script comes. */
export const StartFrame = () => (
  <div class="frame" aria-busy="true">
    <p class="unseen" role="status">
      Loading
    </p>
    <p class="ribbon start-ribbon" aria-hidden="true">
      &nbsp;
    </p>
    <div class="head" aria-hidden="true">
      <span class="second drawer-button">Menu</span>
      <span class="bone start-name" />
      <span class="search">
        <span class="bone start-search" />
      </span>
      <span />
    </div>
    <div class="frame-body" aria-hidden="true">
      <div class="side start-side">
        {Array.from({ length: 11 }, (_, place) => (
          <span key={place} class="bone" />
        ))}
      </div>
      <div class="content">
        <span class="bone bone-small" />
        <span class="bone bone-line" />
        <span class="bone bone-line" />
        <span class="bone bone-line" />
      </div>
    </div>
  </div>
);

const menuParts = topParts.filter((part) => parts[part].viewOf === undefined);

function PartLinks({ onChosen }: { onChosen?: () => void }) {
  const merchant = useMerchant();
  const shown = menuPartOf(place.value);
  const seen = menuParts.filter(
    (part) => !isGroup(part) || sectionsSeen(part, merchant).length > 0,
  );
  return (
    <ul>
      {seen.map((part) => (
        <li key={part}>
          <a
            href={addressOf(merchant.clientId, part)}
            onClick={onChosen}
            {...(part === shown ? { 'aria-current': isGroup(part) || ('page' as const) } : {})}
          >
            {parts[part].title}
          </a>
          {part === shown && isGroup(part) && <PartsOf group={part} onChosen={onChosen} />}
        </li>
      ))}
    </ul>
  );
}

type PartsOfProps = { readonly group: Group; readonly onChosen: (() => void) | undefined };

/** The parts of the group that is shown. */
function PartsOf({ group, onChosen }: PartsOfProps) {
  const merchant = useMerchant();
  const [, , , shown, id] = place.value.split('/').filter(Boolean);
  return (
    <ul class="side-parts">
      {sectionsSeen(group, merchant).map((name) => (
        <li key={name}>
          <a
            href={addressOf(merchant.clientId, name)}
            onClick={onChosen}
            {...(name === shown ? { 'aria-current': id === undefined ? 'page' : true } : {})}
          >
            {titleOf(name, merchant)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The menu of parts on a narrow screen. */
function Drawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  const path = place.value;
  useEffect(() => dialog.current?.close(), [path]);
  return (
    <>
      <button
        type="button"
        class="second drawer-button"
        onClick={() => dialog.current?.showModal()}
      >
        Menu
      </button>
      <dialog class="drawer" ref={dialog} aria-label="Menu">
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
        <nav class="side" aria-label="Merchant">
          <PartLinks onChosen={() => dialog.current?.close()} />
        </nav>
      </dialog>
    </>
  );
}

/** Links to the same part of other merchants. */
function MerchantSwitch({ others }: { others: readonly OwnMembership[] }) {
  const { name } = useMerchant();
  const part = partOf(place.value) ?? 'home';
  if (others.length === 0) return <strong class="head-name">{name}</strong>;
  return (
    <Menu label={name} name={`Merchant: ${name}`} class="second head-name">
      {(close) => (
        <ul>
          {others.map((other) => (
            <li key={other.clientId}>
              <a href={addressOf(other.clientId, part)} onClick={close}>
                {other.name}
                {!other.livemode && <span class="fine"> ({modeName().toLowerCase()})</span>}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}

/** Returns `AL` for `Ada Lovelace`. */
const initialsOf = (name: string): string =>
  name
    .split(/[\s.@]+/)
    .slice(0, 2)
    .map((word) => firstGrapheme(word).toUpperCase())
    .join('');

/** The whole name, or its initials on a phone, where it would be cut off. */
const PersonLabel = ({ name }: { name: string }) => (
  <>
    <span class="head-whole">{name}</span>
    <span class="head-short" aria-hidden="true">
      {initialsOf(name)}
    </span>
  </>
);

function PersonMenu() {
  const known = person.value;
  const { run, isBusy, failure } = useAction(async () => {
    await call('POST /v1/account/sign-out', { body: {} });
    goTo('/account/sign-in', { replaces: true });
  });
  if (!known) return null;
  const name = known.name ?? known.email;
  return (
    <Menu label={<PersonLabel name={name} />} class="quiet head-person">
      {() => (
        <ul>
          <li class="menu-text">{known.email}</li>
          <li>
            <a href="/account">Your account</a>
          </li>
          <li>
            <button type="button" aria-disabled={isBusy} onClick={() => void run()}>
              Sign out
            </button>
          </li>
          {failure && <Trouble failure={failure} />}
        </ul>
      )}
    </Menu>
  );
}
