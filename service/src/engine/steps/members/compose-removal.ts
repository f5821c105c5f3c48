import { type MailWords, quotedName } from '../../../domain/people/mail.ts';

/** The mail to a person who was removed from a client. */
export const composeRemoval = (clientName: string): MailWords => ({
  subject: `You were removed from ${quotedName(clientName)}`,
  text: `You are no longer a member of ${quotedName(clientName)} on Svc.

Your API tokens there and the applications that you gave access to it have stopped working. Your
account and your other merchants are as they were.

If this surprises you, ask an owner of the merchant.

Svc`,
});
