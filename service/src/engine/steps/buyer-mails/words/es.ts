import type { BuyerWords } from './en.ts';

export const es: BuyerWords = {
  testMode: 'Modo de prueba: no es dinero real.',
  sandbox: 'Sandbox: no es dinero real.',
  questions: (email) => `¿Preguntas? Escriba a ${email}`,
  askTheShop: '¿Preguntas? Consulte a la tienda.',
  fact: (name, value) => `${name}: ${value}`,
  cardName: (brand, lastFour) => `${brand} terminada en ${lastFour}`,

  receiptSubject: (number, shop) => `Recibo ${number} de ${shop}`,
  receiptHead: (number, day, shop) => `Recibo ${number} del ${day}, de ${shop}`,
  receiptCopiedSubject: (number, shop) =>
    `El recibo ${number} de ${shop} se envió a otra dirección`,
  receiptCopied: (number, shop, to) =>
    `${shop} envió su recibo ${number} a ${to}. Si usted no lo pidió, avise a la tienda.`,
  discount: 'Descuento',
  paid: 'Pagado',
  refunded: 'Devuelto',
  paidWith: 'Pagado con',
  toReadAndPrint: 'Para leerlo e imprimirlo:',

  refundSubject: (shop) => `Su reembolso de ${shop}`,

  refundFailedSubject: (shop) => `No se pudo pagar su reembolso de ${shop}`,
  refundFailed: (sum) => `No se pudieron devolver ${sum} a la tarjeta o cuenta con la que pagó.`,
  getInTouch: (shop) => `Póngase en contacto con ${shop} para recibir el dinero de otra manera.`,

  renewalFailedSubject: (shop) => `Su pago a ${shop} fue rechazado`,
  renewalFailed: (sum, product) =>
    `No se pudieron cobrar ${sum} por ${product}. Se volverá a intentar en los próximos días.`,

  cardExpiresSubject: (shop) => `Su tarjeta en ${shop} caduca`,
  cardExpires: (card, month, shop) =>
    `${card} caduca al final de ${month}. Con ella se paga una suscripción en ${shop}.`,

  manage: 'Para ver sus pagos y suscripciones:',

  endPlannedSubject: (shop) => `Su suscripción en ${shop} va a terminar`,
  endPlanned: (product, day) =>
    `${product} sigue hasta el ${day} y después termina. No se cobra nada más.`,
  resumedSubject: (shop) => `Su suscripción en ${shop} continúa`,
  resumed: (product, day) => `${product} continúa. Se renueva el ${day}.`,
  endedSubject: (shop) => `Su suscripción en ${shop} ha terminado`,
  ended: (product) => `${product} ha terminado. No se cobra nada más.`,

  pageLinkSubject: (shop) => `Su enlace a sus compras en ${shop}`,
  lookAtPurchases: 'Para ver sus suscripciones, pagos y tarjetas:',
  lookAtCard: 'Para ver su tarjeta y guardar otra:',
  linkWorks: 'El enlace funciona durante siete días.',

  confirmAddressSubject: (shop) => `Confirme su nueva dirección en ${shop}`,
  confirmAddress: (shop) =>
    `Los correos de ${shop} van a llegarle a esta dirección. Confírmelo en esta página:`,
  confirmWorks:
    'El enlace funciona durante un día. Si no lo ha pedido, ignore este correo: no cambiará nada.',
  addressChangedSubject: (shop) => `Se ha cambiado su dirección en ${shop}`,
  addressChanged: (shop, to) =>
    `Los correos de ${shop} llegan ahora a ${to} y ya no a esta dirección.`,
  addressNotYou: (shop) => `Si no ha sido usted, avise a ${shop} de inmediato.`,

  receipt: (number) => `Recibo ${number}`,
  refundReceipt: (number) => `Recibo de reembolso ${number}`,
  whatWasBought: 'Lo que se compró',
  item: 'Artículo',
  quantity: 'Cantidad',
  sum: 'Importe',
  paidOn: 'Pagado el',
  refundedOn: 'Devuelto el',
  refundedSince: 'Devuelto desde entonces',
  issuedOn: 'Emitido el',
  referenceName: 'Referencia',
  taxNumberName: 'Número fiscal',
  questionsName: 'Preguntas',
  noReceipt: 'No hay recibo',
  noReceiptTitle: 'En esta dirección no hay ningún recibo',
  noReceiptText: 'Compruebe que copió la dirección completa o pídasela de nuevo a la tienda.',
};
