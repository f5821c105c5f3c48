// The texts that CardSetup and the bank's dialog show, in English. Every other language has the same keys.
// The hosted form has texts of its own.

export const texts = {
  title: 'Card number, expiry date and security code',
  confirming: 'Confirm with your bank',
  wait: 'Connecting to your bank…',
  frame: 'Confirmation page of your bank',
  trouble: 'Does the page of your bank not appear?',
  open: 'Open it in a new window',
  elsewhere: 'Your bank opens in a new window. This page goes on by itself afterwards.',
  checking: 'Checking your card…',
  cancel: 'Cancel',
  stopTitle: 'Stop the confirmation?',
  stopText: 'Then the card is not saved.',
  stopYes: 'Stop',
  stopNo: 'Go on',
  declined: 'Your bank has refused this card. It was not saved.',
  notConfirmed: 'Your bank could not confirm that it is you. The card was not saved.',
  reload: 'A part of this page could not be loaded. Reload the page and try again.',
  /** The same texts for a payment. */
  paying: {
    stopText: 'Then nothing is charged.',
    declined: 'Your bank has declined the payment. Nothing was charged.',
    notConfirmed: 'Your bank could not confirm that it is you. Nothing was charged.',
  },
};

export type Texts = typeof texts;
