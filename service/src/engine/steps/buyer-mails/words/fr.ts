import type { BuyerWords } from './en.ts';

export const fr: BuyerWords = {
  testMode: 'Mode test : aucun argent réel.',
  sandbox: 'Sandbox : aucun argent réel.',
  questions: (email) => `Une question ? Écrivez à ${email}`,
  askTheShop: 'Une question ? Adressez-vous à la boutique.',
  fact: (name, value) => `${name} : ${value}`,
  cardName: (brand, lastFour) => `${brand} se terminant par ${lastFour}`,

  receiptSubject: (number, shop) => `Reçu ${number} de ${shop}`,
  receiptHead: (number, day, shop) => `Reçu ${number} du ${day}, de ${shop}`,
  receiptCopiedSubject: (number, shop) =>
    `Le reçu ${number} de ${shop} a été envoyé à une autre adresse`,
  receiptCopied: (number, shop, to) =>
    `${shop} a envoyé votre reçu ${number} à ${to}. Si vous ne l’avez pas demandé, prévenez la boutique.`,
  discount: 'Remise',
  paid: 'Payé',
  refunded: 'Remboursé',
  paidWith: 'Payé avec',
  toReadAndPrint: 'Pour le lire et l’imprimer :',

  refundSubject: (shop) => `Votre remboursement de ${shop}`,

  refundFailedSubject: (shop) => `Votre remboursement de ${shop} n’a pas pu être versé`,
  refundFailed: (sum) =>
    `Un montant de ${sum} n’a pas pu être remboursé sur la carte ou le compte qui a servi au paiement.`,
  getInTouch: (shop) => `Veuillez contacter ${shop} pour recevoir l’argent d’une autre façon.`,

  renewalFailedSubject: (shop) => `Votre paiement à ${shop} a été refusé`,
  renewalFailed: (sum, product) =>
    `Un montant de ${sum} pour ${product} n’a pas pu être débité. Une nouvelle tentative aura lieu dans les prochains jours.`,

  cardExpiresSubject: (shop) => `Votre carte chez ${shop} expire`,
  cardExpires: (card, month, shop) =>
    `${card} expire fin ${month}. Elle sert à payer un abonnement chez ${shop}.`,

  manage: 'Pour voir vos paiements et abonnements :',

  endPlannedSubject: (shop) => `Votre abonnement chez ${shop} va se terminer`,
  endPlanned: (product, day) =>
    `${product} court jusqu’au ${day}, puis se termine. Plus rien n’est débité.`,
  resumedSubject: (shop) => `Votre abonnement chez ${shop} continue`,
  resumed: (product, day) => `${product} continue. Il est renouvelé le ${day}.`,
  endedSubject: (shop) => `Votre abonnement chez ${shop} est terminé`,
  ended: (product) => `${product} est terminé. Plus rien n’est débité.`,

  pageLinkSubject: (shop) => `Votre lien vers vos achats chez ${shop}`,
  lookAtPurchases: 'Pour voir vos abonnements, paiements et cartes :',
  lookAtCard: 'Pour voir votre carte et en enregistrer une autre :',
  linkWorks: 'Le lien fonctionne pendant sept jours.',

  confirmAddressSubject: (shop) => `Confirmez votre nouvelle adresse chez ${shop}`,
  confirmAddress: (shop) =>
    `Les e-mails de ${shop} doivent désormais vous parvenir à cette adresse. Confirmez-le sur cette page :`,
  confirmWorks:
    'Le lien fonctionne pendant un jour. Si vous n’avez rien demandé, ignorez cet e-mail : rien ne changera.',
  addressChangedSubject: (shop) => `Votre adresse chez ${shop} a été modifiée`,
  addressChanged: (shop, to) =>
    `Les e-mails de ${shop} sont désormais envoyés à ${to}, et non plus à cette adresse.`,
  addressNotYou: (shop) => `Si ce n’était pas vous, prévenez ${shop} immédiatement.`,

  receipt: (number) => `Reçu ${number}`,
  refundReceipt: (number) => `Reçu de remboursement ${number}`,
  whatWasBought: 'Articles achetés',
  item: 'Article',
  quantity: 'Quantité',
  sum: 'Montant',
  paidOn: 'Payé le',
  refundedOn: 'Remboursé le',
  refundedSince: 'Remboursé depuis',
  issuedOn: 'Émis le',
  referenceName: 'Référence',
  taxNumberName: 'Numéro fiscal',
  questionsName: 'Questions',
  noReceipt: 'Pas de reçu',
  noReceiptTitle: 'Il n’y a pas de reçu à cette adresse',
  noReceiptText: 'Vérifiez que l’adresse a été copiée en entier, ou redemandez-la à la boutique.',
};
