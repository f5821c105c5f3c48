// The mails that a sandbox without SMTP did not send, so that their links can be opened on this machine.

import type { SandboxMail } from '@svc/contract/settings/members';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { Block } from '../kit/parts/facts.tsx';
import { SectionBox } from '../kit/parts/section-box.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { FactLine, Time } from '../kit/parts/time.tsx';
import { listMails } from '../kit/parts/waiting-mails.tsx';
import { WidePage } from '../kit/parts/wide-page.tsx';
import { Section } from '../kit/section.ts';

export function MailsPage() {
  const section = useMemo(() => new Section(listMails), []);
  if (section.failure.value?.code === 'route_not_found') return <NoMails />;
  return (
    <WidePage
      title="Mails"
      lead="This sandbox sends no mail. Its mails are shown here, on this machine only."
    >
      <SectionBox section={section} title="Not sent">
        {(mails) => (
          <>
            {mails.length === 0 && (
              <Empty title="No mail yet">
                <p>Invite somebody or ask for a new password: the mail with the link comes here.</p>
              </Empty>
            )}
            <ul class="rows">
              {mails.map((mail) => (
                <MailRow key={mail.id} mail={mail} />
              ))}
            </ul>
            <ActionButton
              section={section}
              at="again"
              onAction={() => section.change('again', async () => {})}
            >
              Look again
            </ActionButton>
          </>
        )}
      </SectionBox>
    </WidePage>
  );
}

const NoMails = () => (
  <WidePage title="Mails">
    <Block>
      <Empty title="There are no mails to see here">
        <p>
          They are shown where a sandbox runs without SMTP, and only to a browser on the same
          machine.
        </p>
      </Empty>
    </Block>
  </WidePage>
);

function MailRow({ mail }: { mail: SandboxMail }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="row">
      <button
        type="button"
        class="row-name opener"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {mail.subject}
      </button>
      <FactLine>
        {`To ${mail.to}`}
        <Time at={mail.createdAt} />
      </FactLine>
      {isOpen && <div class="mail-text">{linkAddresses(mail.text)}</div>}
    </li>
  );
}

/** Shows a text with links for this service's addresses; other addresses stay text. */
function linkAddresses(text: string): ComponentChildren {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((piece, place) => {
    if (place % 2 === 0) return piece;
    const isOurs = URL.canParse(piece) && new URL(piece).origin === location.origin;
    return isOurs ? (
      <a key={place} href={piece}>
        {piece}
      </a>
    ) : (
      piece
    );
  });
}
