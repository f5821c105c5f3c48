// What the merchant needs before real money. The service reads each state; nobody ticks a step.

import type { GoLive } from '@svc/contract/settings/provider-accounts';
import { addressOf } from '../../kit/addresses.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Tag } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { SaidAt } from '../../kit/parts/time.tsx';
import { useResource } from '../../kit/read.ts';
import { countedNoun } from '../../kit/words.ts';
import { missingWords, stateWords, stepWords } from './provider-words.ts';

export function GoLiveSection() {
  const { content, failure, again } = useResource('GET /v1/go-live', {});
  return (
    <Block
      title="Go live"
      intro="Each step is marked by what the service sees, so there is nothing to tick."
      isBusy={!content && !failure}
    >
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={6} />}
      {content && (
        <>
          <p role="status">{summaryOf(content)}</p>
          <ol class="rows" aria-label="Steps">
            {content.steps.map((step) => (
              <StepRow key={step.step} step={step} />
            ))}
          </ol>
        </>
      )}
    </Block>
  );
}

function summaryOf({ ready, steps }: GoLive): string {
  if (ready) return 'Everything is done.';
  const left = steps.filter(({ state }) => state === 'open' || state === 'failing');
  return `${countedNoun(left.length, ['step is', 'steps are'])} left.`;
}

function StepRow({ step }: { step: GoLive['steps'][number] }) {
  const { clientId } = useMerchant();
  const { title, text, at } = stepWords[step.step];
  const [label, place] = at;
  const missing = missingWords(step);
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{title}</span>
        <Tag words={stateWords[step.state]} />
        {step.since && (
          <span class="fine">
            <SaidAt said="since" at={step.since} />
          </span>
        )}
        <a class="row-way" href={isPart(place) ? addressOf(clientId, place) : place}>
          {label}
        </a>
      </div>
      {step.state !== 'done' && (
        <p class="fine">
          {text} {missing && `${missing}.`}
        </p>
      )}
    </li>
  );
}

const isPart = <P extends string>(place: P | `/${string}`): place is P => !place.startsWith('/');
