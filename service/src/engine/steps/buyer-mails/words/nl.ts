import type { BuyerWords } from './en.ts';

export const nl: BuyerWords = {
  testMode: 'Testmodus: geen echt geld.',
  sandbox: 'Sandbox: geen echt geld.',
  questions: (email) => `Vragen: ${email}`,
  askTheShop: 'Vragen? Neem contact op met de winkel.',
  fact: (name, value) => `${name}: ${value}`,
  cardName: (brand, lastFour) => `${brand} eindigend op ${lastFour}`,

  receiptSubject: (number, shop) => `Bon ${number} van ${shop}`,
  receiptHead: (number, day, shop) => `Bon ${number} van ${day}, van ${shop}`,
  receiptCopiedSubject: (number, shop) =>
    `Bon ${number} van ${shop} is naar een ander adres gestuurd`,
  receiptCopied: (number, shop, to) =>
    `${shop} heeft uw bon ${number} naar ${to} gestuurd. Hebt u daar niet om gevraagd, meld het dan aan de winkel.`,
  discount: 'Korting',
  paid: 'Betaald',
  refunded: 'Terugbetaald',
  paidWith: 'Betaald met',
  toReadAndPrint: 'Om te lezen en af te drukken:',

  refundSubject: (shop) => `Uw terugbetaling van ${shop}`,

  refundFailedSubject: (shop) => `Uw terugbetaling van ${shop} is niet gelukt`,
  refundFailed: (sum) =>
    `${sum} kon niet worden terugbetaald op de kaart of rekening waarmee u hebt betaald.`,
  getInTouch: (shop) =>
    `Neem contact op met ${shop}, zodat u het geld op een andere manier krijgt.`,

  renewalFailedSubject: (shop) => `Uw betaling aan ${shop} is geweigerd`,
  renewalFailed: (sum, product) =>
    `${sum} voor ${product} kon niet worden afgeschreven. Het wordt de komende dagen opnieuw geprobeerd.`,

  cardExpiresSubject: (shop) => `Uw kaart bij ${shop} verloopt`,
  cardExpires: (card, month, shop) =>
    `${card} verloopt eind ${month}. Er wordt een abonnement bij ${shop} mee betaald.`,

  manage: 'Bekijk hier uw betalingen en abonnementen:',

  endPlannedSubject: (shop) => `Uw abonnement bij ${shop} gaat eindigen`,
  endPlanned: (product, day) =>
    `${product} loopt tot ${day} en eindigt dan. Er wordt niets meer afgeschreven.`,
  resumedSubject: (shop) => `Uw abonnement bij ${shop} loopt door`,
  resumed: (product, day) => `${product} loopt door. Het wordt verlengd op ${day}.`,
  endedSubject: (shop) => `Uw abonnement bij ${shop} is beëindigd`,
  ended: (product) => `${product} is beëindigd. Er wordt niets meer afgeschreven.`,

  pageLinkSubject: (shop) => `Uw link naar uw aankopen bij ${shop}`,
  lookAtPurchases: 'Bekijk hier uw abonnementen, betalingen en kaarten:',
  lookAtCard: 'Bekijk hier uw kaart en bewaar een andere:',
  linkWorks: 'De link werkt zeven dagen lang.',

  confirmAddressSubject: (shop) => `Bevestig uw nieuwe adres bij ${shop}`,
  confirmAddress: (shop) =>
    `Mails van ${shop} aan u moeten naar dit adres gaan. Bevestig dat op deze pagina:`,
  confirmWorks:
    'De link werkt één dag. Hebt u hier niet om gevraagd, negeer deze mail dan: er verandert niets.',
  addressChangedSubject: (shop) => `Uw adres bij ${shop} is gewijzigd`,
  addressChanged: (shop, to) => `Mails van ${shop} gaan nu naar ${to} en niet meer naar dit adres.`,
  addressNotYou: (shop) => `Was u dit niet, meld het dan meteen aan ${shop}.`,

  receipt: (number) => `Bon ${number}`,
  refundReceipt: (number) => `Bon van terugbetaling ${number}`,
  whatWasBought: 'Wat er is gekocht',
  item: 'Artikel',
  quantity: 'Aantal',
  sum: 'Bedrag',
  paidOn: 'Betaald op',
  refundedOn: 'Terugbetaald op',
  refundedSince: 'Sindsdien terugbetaald',
  issuedOn: 'Opgemaakt op',
  referenceName: 'Referentie',
  taxNumberName: 'Belastingnummer',
  questionsName: 'Vragen',
  noReceipt: 'Geen bon',
  noReceiptTitle: 'Op dit adres is geen bon',
  noReceiptText: 'Kijk of het hele adres is gekopieerd, of vraag de winkel er opnieuw om.',
};
