import type { BuyerWords } from './en.ts';

export const de: BuyerWords = {
  testMode: 'Testmodus: Es fließt kein echtes Geld.',
  sandbox: 'Sandbox: Es fließt kein echtes Geld.',
  questions: (email) => `Fragen: ${email}`,
  askTheShop: 'Fragen beantwortet der Shop.',
  fact: (name, value) => `${name}: ${value}`,
  cardName: (brand, lastFour) => `${brand} mit Endziffern ${lastFour}`,

  receiptSubject: (number, shop) => `Beleg ${number} von ${shop}`,
  receiptHead: (number, day, shop) => `Beleg ${number} vom ${day}, von ${shop}`,
  receiptCopiedSubject: (number, shop) => `Beleg ${number} von ${shop} ging an eine andere Adresse`,
  receiptCopied: (number, shop, to) =>
    `${shop} hat Ihren Beleg ${number} an ${to} geschickt. Wenn Sie das nicht wollten, sagen Sie es dem Shop.`,
  discount: 'Rabatt',
  paid: 'Bezahlt',
  refunded: 'Erstattet',
  paidWith: 'Bezahlt mit',
  toReadAndPrint: 'Zum Lesen und Drucken:',

  refundSubject: (shop) => `Ihre Erstattung von ${shop}`,

  refundFailedSubject: (shop) => `Ihre Erstattung von ${shop} konnte nicht ausgezahlt werden`,
  refundFailed: (sum) =>
    `${sum} konnten nicht auf die Karte oder das Konto erstattet werden, womit Sie bezahlt haben.`,
  getInTouch: (shop) =>
    `Bitte wenden Sie sich an ${shop}, damit Sie das Geld auf anderem Weg bekommen.`,

  renewalFailedSubject: (shop) => `Ihre Zahlung an ${shop} wurde abgelehnt`,
  renewalFailed: (sum, product) =>
    `${sum} für ${product} konnten nicht abgebucht werden. In den nächsten Tagen wird es noch einmal versucht.`,

  cardExpiresSubject: (shop) => `Ihre Karte bei ${shop} läuft ab`,
  cardExpires: (card, month, shop) =>
    `${card} läuft Ende ${month} ab. Damit wird ein Abonnement bei ${shop} bezahlt.`,

  manage: 'Hier sehen Sie Ihre Zahlungen und Abonnements:',

  endPlannedSubject: (shop) => `Ihr Abonnement bei ${shop} endet`,
  endPlanned: (product, day) =>
    `${product} läuft bis ${day} und endet dann. Es wird nichts mehr abgebucht.`,
  resumedSubject: (shop) => `Ihr Abonnement bei ${shop} läuft weiter`,
  resumed: (product, day) => `${product} läuft weiter und wird am ${day} verlängert.`,
  endedSubject: (shop) => `Ihr Abonnement bei ${shop} ist beendet`,
  ended: (product) => `${product} ist beendet. Es wird nichts mehr abgebucht.`,

  pageLinkSubject: (shop) => `Ihr Link zu Ihren Käufen bei ${shop}`,
  lookAtPurchases: 'Hier sehen Sie Ihre Abonnements, Zahlungen und Karten:',
  lookAtCard: 'Hier sehen Sie Ihre Karte und können eine andere speichern:',
  linkWorks: 'Der Link funktioniert sieben Tage lang.',

  confirmAddressSubject: (shop) => `Bestätigen Sie Ihre neue Adresse bei ${shop}`,
  confirmAddress: (shop) =>
    `Mails von ${shop} an Sie sollen an diese Adresse gehen. Bestätigen Sie das auf dieser Seite:`,
  confirmWorks:
    'Der Link funktioniert einen Tag lang. Wenn Sie darum nicht gebeten haben, ignorieren Sie diese Mail: Dann ändert sich nichts.',
  addressChangedSubject: (shop) => `Ihre Adresse bei ${shop} wurde geändert`,
  addressChanged: (shop, to) =>
    `Mails von ${shop} gehen jetzt an ${to} und nicht mehr an diese Adresse.`,
  addressNotYou: (shop) => `Wenn Sie das nicht waren, wenden Sie sich sofort an ${shop}.`,

  receipt: (number) => `Beleg ${number}`,
  refundReceipt: (number) => `Erstattungsbeleg ${number}`,
  whatWasBought: 'Was gekauft wurde',
  item: 'Artikel',
  quantity: 'Menge',
  sum: 'Summe',
  paidOn: 'Bezahlt am',
  refundedOn: 'Erstattet am',
  refundedSince: 'Seitdem erstattet',
  issuedOn: 'Ausgestellt am',
  referenceName: 'Referenz',
  taxNumberName: 'Steuernummer',
  questionsName: 'Fragen',
  noReceipt: 'Kein Beleg',
  noReceiptTitle: 'Unter dieser Adresse gibt es keinen Beleg',
  noReceiptText:
    'Prüfen Sie, ob die ganze Adresse kopiert wurde, oder bitten Sie den Shop noch einmal darum.',
};
