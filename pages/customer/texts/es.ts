import type { CustomerTexts } from './en.ts';

export const es: CustomerTexts = {
  title: 'Sus tarjetas guardadas',
  titleWallets: 'Sus monederos guardados',
  at: (merchant) => `en ${merchant}`,
  signedAs: (email) => `Para ${email}`,
  intro: 'La tienda puede cobrar sus pedidos en estas tarjetas. Nunca ve sus números.',
  introWallets: 'La tienda puede cobrar sus pedidos en estos monederos.',
  loading: 'Cargando sus tarjetas',
  empty: 'No hay ninguna tarjeta guardada',
  emptyText: 'Añada una y no tendrá que escribirla en su próximo pedido.',
  default: 'Predeterminada',
  wallet: 'Monedero',
  expiresSoon: (date) => `Caduca pronto: ${date}`,

  add: 'Añadir una tarjeta',
  replace: 'Sustituir',
  replaceNote: (card) => `Cuando se guarde la nueva tarjeta, se eliminará ${card}.`,
  remove: 'Eliminar',
  removing: 'Eliminando…',
  leaving: 'La eliminación aún no se ha completado.',
  makeDefault: 'Predeterminar',
  changing: 'Cambiando…',

  askTitle: (card) => `¿Eliminar ${card}?`,
  askText: 'La tienda ya no podrá cobrar en ella.',
  askMoves:
    'Las suscripciones que se pagan con ella pasan a otra tarjeta guardada, si alguna puede relevarla.',
  askYes: 'Eliminar tarjeta',
  askNo: 'Conservar tarjeta',

  added: 'La tarjeta se ha añadido.',
  replaced: (card) => `Se ha añadido la nueva tarjeta y se ha eliminado ${card}.`,
  removed: (card) => `Se ha eliminado ${card}.`,
  defaultChanged: (card) => `${card} es ahora la predeterminada.`,

  titleAll: 'Sus compras y tarjetas',
  subscriptions: 'Suscripciones',
  payments: 'Pagos',
  every: {
    day: (sum) => `${sum} cada día`,
    week: (sum) => `${sum} cada semana`,
    month: (sum) => `${sum} cada mes`,
    year: (sum) => `${sum} cada año`,
  },
  nextPaymentOn: (day) => `Próximo pago: ${day}`,
  renewedOn: (day) => `Se renueva el ${day}`,
  triedAgainOn: (day) => `El pago falló. Se intenta de nuevo el ${day}.`,
  endsOn: (day) => `Termina el ${day}. No se cobra nada más.`,
  endedOn: (day) => `Terminó el ${day}`,
  paidWith: (card) => `Se paga con ${card}`,
  end: 'Cancelar suscripción',
  takeBack: 'Continuar suscripción',
  endByShop: 'Para cancelar esta suscripción, diríjase a la tienda.',
  endTitle: (name) => `¿Cancelar ${name}?`,
  endText: (day) =>
    `Sigue hasta el ${day} y no se cobra nada más. Hasta entonces puede continuarla aquí.`,
  endNowText: 'Su último pago falló, así que termina enseguida. No se cobra nada más.',
  endYes: 'Cancelar suscripción',
  endNo: 'Conservar suscripción',
  ends: (name, day) => `${name} termina el ${day}.`,
  hasEnded: (name) => `${name} ha terminado.`,
  goesOn: (name, day) => `${name} continúa. Próximo pago: ${day}.`,
  endFailed: 'La suscripción no se ha cancelado',
  resumeFailed: 'La suscripción no se ha continuado',
  receiptFailed: 'No se ha podido abrir el recibo',
  purchasesFailed: 'No se han podido cargar sus suscripciones y pagos',
  payment: 'Pago',
  refund: 'Reembolso',
  states: {
    held: 'Reservado, aún sin cobrar',
    processing: 'En curso',
    paid: 'Pagado',
    partly_refunded: 'Reembolsado en parte',
    refunded: 'Reembolsado',
  },
  receipt: 'Recibo',
  older: 'Ver pagos anteriores',

  details: 'Sus datos',
  name: 'Nombre',
  noName: 'Sin nombre',
  language: 'Idioma',
  languageOfBrowser: 'El del navegador',
  change: 'Cambiar',
  newEmail: 'Nuevo correo electrónico',
  newEmailHint: (email) => `Ahora ${email}. Déjelo vacío para conservarlo.`,
  save: 'Guardar',
  pending: (email) => `A la espera de su confirmación desde el correo enviado a ${email}.`,
  pendingDrop: 'Descartar la nueva dirección',
  detailsSaved: 'Se han guardado sus datos.',
  addressMailed:
    'Un correo va en camino a la nueva dirección. Valdrá en cuanto la confirme en la página a la que lleva el correo.',
  addressDropped: 'Se ha descartado la nueva dirección.',
  detailsFailed: 'No se han guardado sus datos',
  detailsUnread: 'No se han podido cargar sus datos',
  emailWrong: 'Esto no es un correo electrónico.',
  emailOften: 'Se ha pedido demasiadas veces. Inténtelo de nuevo dentro de una hora.',

  removeFailed: 'La tarjeta no se ha eliminado',
  addFailed: 'No se ha podido abrir el formulario',
  defaultFailed: 'La predeterminada no se ha cambiado',
  problems: {
    customer_page_limited:
      'El enlace de la tienda no permite esto. Pídaselo a la tienda o solicite otro enlace.',
    payment_method_in_use:
      'Una suscripción se paga con esta tarjeta y ninguna otra guardada puede relevarla. Añada primero otra tarjeta y después elimine esta.',
    payment_method_has_active_payment:
      'Un pago con esta tarjeta aún no ha terminado. Espere a que termine y vuelva a intentarlo.',
    payment_method_reassignment_requires_payer_action:
      'Una suscripción se paga con este monedero y solo usted puede aprobar otra forma. Pida a la tienda que cambie el pago y después elimine el monedero.',
    payment_method_not_found: 'Esta tarjeta ya no está guardada.',
    unusable: 'Esta tarjeta se está eliminando, o no se puede usar por ahora.',
    retry_delete:
      'Aún no se ha podido completar la eliminación. La tarjeta sigue en esta lista hasta entonces; vuelva a intentarlo en un momento.',
    contact_support:
      'No se ha podido completar la eliminación y no es seguro cómo está la tarjeta. Consulte a la tienda antes de volver a intentarlo.',
    update_funding_manually:
      'Lo que se paga con esta tarjeta no se ha podido pasar a otra. Pida a la tienda que cambie el pago y después elimine la tarjeta.',
    gateway_refused:
      'La tienda no tiene acceso a la red de tarjetas en este momento. No se ha cambiado nada; avise a la tienda.',
    gateway_unavailable:
      'No se puede contactar con la red de tarjetas. No se ha cambiado nada; vuelva a intentarlo.',
    gateway_outcome_unknown:
      'Aún no se sabe si ha funcionado. Vuelva a cargar esta página en un minuto.',
    subscription_ended: 'La suscripción ya ha terminado.',
    subscription_end_by_merchant:
      'La tienda ha terminado esta suscripción. Pregunte allí si quiere conservarla.',
    customer_page_cancel_off: 'Para cancelar esta suscripción, diríjase a la tienda.',
    rate_limited: 'Demasiados intentos. Espere un minuto.',
  },
  problemOther: 'Se ha rechazado. No se ha cambiado nada.',

  find: 'Sus compras',
  findText: 'Escriba la dirección con la que compró. Le enviamos un enlace.',
  findField: 'Correo electrónico',
  findSend: 'Enviarme el enlace',
  findSent: 'Si se compró algo con esta dirección, un enlace va en camino.',

  confirm: 'Confirme su nueva dirección',
  confirmText: 'La tienda escribirá entonces a esta dirección y ya no a la anterior.',
  confirmYes: 'Confirmar dirección',
  confirmed: 'Se ha cambiado su dirección',
  confirmedText: (shop, email) => `${shop} escribe ahora a ${email}.`,
  addressOverText:
    'Vale durante un día, y solo vale el más reciente. Pida el cambio de nuevo en su página.',

  gone: 'Este enlace no funciona',
  goneText:
    'El enlace es desconocido o está incompleto. Ábralo otra vez donde lo recibió o pida uno nuevo a la tienda.',
  linkOver: 'Este enlace ha caducado',
  linkOverText: 'Un enlace de la tienda vale diez minutos. Pida uno nuevo a la tienda.',
  mailOverText:
    'Un enlace en un correo vale siete días. Podemos enviar uno nuevo a la misma dirección.',
  mailAgain: 'Enviarme un enlace nuevo',
  mailed: 'Un enlace nuevo está en camino.',
  expired: 'Esta página ha caducado',
  expiredText:
    'Por su seguridad vale media hora. Abra otra vez el enlace del correo o pida uno nuevo a la tienda.',
  unreachableText: 'Compruebe su conexión.',
};
