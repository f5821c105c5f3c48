import type { BuyerWords } from './en.ts';

export const pt: BuyerWords = {
  testMode: 'Modo de teste: não é dinheiro real.',
  sandbox: 'Sandbox: não é dinheiro real.',
  questions: (email) => `Dúvidas? Escreva para ${email}`,
  askTheShop: 'Dúvidas? Contacte a loja.',
  fact: (name, value) => `${name}: ${value}`,
  cardName: (brand, lastFour) => `${brand} terminado em ${lastFour}`,

  receiptSubject: (number, shop) => `Recibo ${number} de ${shop}`,
  receiptHead: (number, day, shop) => `Recibo ${number} de ${day}, de ${shop}`,
  receiptCopiedSubject: (number, shop) =>
    `O recibo ${number} de ${shop} foi enviado para outro endereço`,
  receiptCopied: (number, shop, to) =>
    `${shop} enviou o seu recibo ${number} para ${to}. Se não o pediu, avise a loja.`,
  discount: 'Desconto',
  paid: 'Pago',
  refunded: 'Reembolsado',
  paidWith: 'Pago com',
  toReadAndPrint: 'Para ler e imprimir:',

  refundSubject: (shop) => `O seu reembolso de ${shop}`,

  refundFailedSubject: (shop) => `Não foi possível pagar o seu reembolso de ${shop}`,
  refundFailed: (sum) => `Não foi possível devolver ${sum} ao cartão ou à conta com que pagou.`,
  getInTouch: (shop) => `Contacte ${shop} para receber o dinheiro de outra forma.`,

  renewalFailedSubject: (shop) => `O seu pagamento a ${shop} foi recusado`,
  renewalFailed: (sum, product) =>
    `Não foi possível cobrar ${sum} por ${product}. Haverá uma nova tentativa nos próximos dias.`,

  cardExpiresSubject: (shop) => `O seu cartão em ${shop} vai caducar`,
  cardExpires: (card, month, shop) =>
    `${card} é válido até ao fim de ${month}. Com este cartão é paga uma subscrição em ${shop}.`,

  manage: 'Para ver os seus pagamentos e subscrições:',

  endPlannedSubject: (shop) => `A sua subscrição em ${shop} vai terminar`,
  endPlanned: (product, day) =>
    `${product} continua até ${day} e depois termina. Nada mais é cobrado.`,
  resumedSubject: (shop) => `A sua subscrição em ${shop} continua`,
  resumed: (product, day) => `${product} continua. É renovada a ${day}.`,
  endedSubject: (shop) => `A sua subscrição em ${shop} terminou`,
  ended: (product) => `${product} terminou. Nada mais é cobrado.`,

  pageLinkSubject: (shop) => `O seu link para as suas compras em ${shop}`,
  lookAtPurchases: 'Para ver as suas subscrições, pagamentos e cartões:',
  lookAtCard: 'Para ver o seu cartão e guardar outro:',
  linkWorks: 'A ligação funciona durante sete dias.',

  confirmAddressSubject: (shop) => `Confirme o seu novo endereço na loja ${shop}`,
  confirmAddress: (shop) =>
    `Os e-mails de ${shop} vão passar a chegar a este endereço. Confirme-o nesta página:`,
  confirmWorks:
    'O link funciona durante um dia. Se não pediu isto, ignore este e-mail: nada será alterado.',
  addressChangedSubject: (shop) => `O seu endereço na loja ${shop} foi alterado`,
  addressChanged: (shop, to) =>
    `Os e-mails de ${shop} chegam agora a ${to} e já não a este endereço.`,
  addressNotYou: (shop) => `Se não foi o próprio a fazê-lo, avise ${shop} de imediato.`,

  receipt: (number) => `Recibo ${number}`,
  refundReceipt: (number) => `Recibo de reembolso ${number}`,
  whatWasBought: 'O que foi comprado',
  item: 'Artigo',
  quantity: 'Quantidade',
  sum: 'Valor',
  paidOn: 'Pago em',
  refundedOn: 'Reembolsado em',
  refundedSince: 'Reembolsado desde então',
  issuedOn: 'Emitido em',
  referenceName: 'Referência',
  taxNumberName: 'Número fiscal',
  questionsName: 'Dúvidas',
  noReceipt: 'Sem recibo',
  noReceiptTitle: 'Não há nenhum recibo neste endereço',
  noReceiptText: 'Veja se o endereço foi copiado por inteiro ou peça-o de novo à loja.',
};
