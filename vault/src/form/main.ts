// The document of the driver `own-vault`: the form with our own inputs. Contract §4.
import { CardForm } from './form.ts';
import { startSession } from './session.ts';

startSession(({ options, isExpress, send, done }) => {
  // The fields are the provider's, and this driver loads nothing of the provider.
  if (isExpress) send({ type: 'express', methods: [] });
  else done(new CardForm(options, send));
});
