import type { BuyerWords } from './en.ts';

export const it: BuyerWords = {
  testMode: 'Modalità di prova: non è denaro reale.',
  sandbox: 'Sandbox: non è denaro reale.',
  questions: (email) => `Domande? Scrivi a ${email}`,
  askTheShop: 'Domande? Chiedi al negozio.',
  fact: (name, value) => `${name}: ${value}`,
  cardName: (brand, lastFour) => `${brand} che termina con ${lastFour}`,

  receiptSubject: (number, shop) => `Ricevuta ${number} di ${shop}`,
  receiptHead: (number, day, shop) => `Ricevuta ${number} del ${day}, di ${shop}`,
  receiptCopiedSubject: (number, shop) =>
    `La ricevuta ${number} di ${shop} è stata inviata a un altro indirizzo`,
  receiptCopied: (number, shop, to) =>
    `${shop} ha inviato la Sua ricevuta ${number} a ${to}. Se non l’ha chiesto Lei, avvisi il negozio.`,
  discount: 'Sconto',
  paid: 'Pagato',
  refunded: 'Rimborsato',
  paidWith: 'Pagato con',
  toReadAndPrint: 'Per leggerla e stamparla:',

  refundSubject: (shop) => `Il tuo rimborso da ${shop}`,

  refundFailedSubject: (shop) => `Il tuo rimborso da ${shop} non è andato a buon fine`,
  refundFailed: (sum) =>
    `Non è stato possibile rimborsare ${sum} sulla carta o sul conto con cui hai pagato.`,
  getInTouch: (shop) => `Contatta ${shop} per ricevere il denaro in un altro modo.`,

  renewalFailedSubject: (shop) => `Il tuo pagamento a ${shop} è stato rifiutato`,
  renewalFailed: (sum, product) =>
    `Non è stato possibile addebitare ${sum} per ${product}. Si riproverà nei prossimi giorni.`,

  cardExpiresSubject: (shop) => `La tua carta presso ${shop} scade`,
  cardExpires: (card, month, shop) =>
    `${card} scade alla fine di ${month}. Con questa carta si paga un abbonamento presso ${shop}.`,

  manage: 'Per vedere i tuoi pagamenti e abbonamenti:',

  endPlannedSubject: (shop) => `Il tuo abbonamento presso ${shop} sta per terminare`,
  endPlanned: (product, day) =>
    `${product} resta attivo fino al ${day}, poi termina. Non viene addebitato altro.`,
  resumedSubject: (shop) => `Il tuo abbonamento presso ${shop} continua`,
  resumed: (product, day) => `${product} continua. Si rinnova il ${day}.`,
  endedSubject: (shop) => `Il tuo abbonamento presso ${shop} è terminato`,
  ended: (product) => `${product} è terminato. Non viene addebitato altro.`,

  pageLinkSubject: (shop) => `Il tuo link ai tuoi acquisti presso ${shop}`,
  lookAtPurchases: 'Per vedere i tuoi abbonamenti, pagamenti e carte:',
  lookAtCard: 'Per vedere la tua carta e salvarne un’altra:',
  linkWorks: 'Il link funziona per sette giorni.',

  confirmAddressSubject: (shop) => `Conferma il tuo nuovo indirizzo presso ${shop}`,
  confirmAddress: (shop) =>
    `Le e-mail di ${shop} devono arrivarti a questo indirizzo. Confermalo in questa pagina:`,
  confirmWorks:
    'Il link funziona per un giorno. Se non l’hai chiesto tu, ignora questa e-mail: non cambierà niente.',
  addressChangedSubject: (shop) => `Il tuo indirizzo presso ${shop} è stato cambiato`,
  addressChanged: (shop, to) =>
    `Le e-mail di ${shop} arrivano ora a ${to} e non più a questo indirizzo.`,
  addressNotYou: (shop) => `Se non sei stato tu, avvisa subito ${shop}.`,

  receipt: (number) => `Ricevuta ${number}`,
  refundReceipt: (number) => `Ricevuta di rimborso ${number}`,
  whatWasBought: 'Che cosa è stato acquistato',
  item: 'Articolo',
  quantity: 'Quantità',
  sum: 'Importo',
  paidOn: 'Pagato il',
  refundedOn: 'Rimborsato il',
  refundedSince: 'Rimborsato da allora',
  issuedOn: 'Emessa il',
  referenceName: 'Riferimento',
  taxNumberName: 'Numero fiscale',
  questionsName: 'Domande',
  noReceipt: 'Nessuna ricevuta',
  noReceiptTitle: 'A questo indirizzo non c’è alcuna ricevuta',
  noReceiptText: 'Controlla di aver copiato tutto l’indirizzo, oppure richiedilo al negozio.',
};
