import type { Texts } from './en.ts';

export const es: Texts = {
  title: 'Pago',
  backTo: (place) => `Volver a ${place}`,
  back: 'Volver a la tienda',
  questions: '¿Preguntas?',
  termsOf: (merchant) => `Condiciones de ${merchant}`,
  sandbox: 'Modo de prueba',
  testMode: 'Modo de prueba',
  sandboxHint:
    'Aquí no se mueve dinero real. Tarjeta de prueba: 4242\u00a04242\u00a04242\u00a04242.',
  summary: 'Su pedido',
  showAll: (count) => `Mostrar los ${count} artículos`,
  quantity: (count) => `${count} unidades`,
  total: 'Total a pagar',
  subtotal: 'Suma',
  discount: 'Descuento',
  toPay: 'A pagar',
  toHold: 'A autorizar',
  cardTitle: 'Datos de la tarjeta',
  cardFrame: 'Número de tarjeta, fecha de caducidad y código de seguridad',
  receiptFor: (email) => `Pago como ${email}`,
  pay: (amount) => `Pagar ${amount}`,
  authorise: (amount) => `Autorizar ${amount}`,
  holdLine:
    'Ahora no se hace ningún cargo. El importe queda reservado y la tienda lo cobrará más tarde.',
  safe: 'Su número de tarjeta solo llega al formulario del proveedor de pagos, nunca a la tienda.',
  paying: 'Pagando…',
  authorising: 'Autorizando…',
  payingHint: 'Deje abierta esta página.',
  loading: 'Cargando su pago',

  payWith: 'Pagar con',
  anyBrand: 'Tarjeta',
  savedCard: (brand, lastFour) => `${brand} terminada en ${lastFour}`,
  otherCard: 'Otra tarjeta',
  cardExpires: (date) => `Caduca ${date}`,
  cardExpired: (date) => `Caducada ${date}`,
  cardDeclined: 'Rechazada',
  keepCard: 'Guardar esta tarjeta para mis próximos pagos en esta tienda',
  repeats: {
    day: (amount) => `después ${amount} cada día`,
    week: (amount) => `después ${amount} cada semana`,
    month: (amount) => `después ${amount} cada mes`,
    year: (amount) => `después ${amount} cada año`,
  },
  keepLine:
    'Su medio de pago se guarda y se cobra en cada renovación, hasta que se cancele la suscripción.',
  cancelOnPage: 'Puede cancelarla en la página de sus compras.',
  cancelByShop: 'Para cancelarla, diríjase a la tienda.',

  redirecting: 'Le llevamos a su banco',
  redirectingWallet: 'Le llevamos a su monedero',
  challenge: 'Su banco le espera',
  challengeElsewhere:
    'Termine la confirmación donde su banco la ha abierto. Después, esta página sigue por sí sola.',
  challengeStop: 'Pagar de otra forma',

  confirming: 'Confirme con su banco',
  confirmingWait: 'Conectando con su banco…',
  confirmingFrame: 'Página de confirmación de su banco',
  confirmingTrouble: '¿No aparece la página de su banco?',
  confirmingHere: 'Abrirla en esta ventana',
  cancel: 'Cancelar',
  stopTitle: '¿Detener la confirmación?',
  stopText: 'Entonces no se cobra nada y puede pagar de otra forma.',
  stopYes: 'Detener',
  stopNo: 'Continuar',

  wallet: 'Su monedero le espera',
  walletText: 'Apruebe este pago en su monedero. Antes no se cobra nada.',
  walletOpen: 'Continuar en el monedero',
  walletStop: 'Pagar con tarjeta',
  walletPay: 'Pagar con su monedero',
  orCard: 'o con tarjeta',

  couponOpen: 'Añadir un código de descuento',
  couponLabel: 'Código de descuento',
  couponApply: 'Aplicar',
  couponRemove: (code) => `Quitar el código ${code}`,
  couponApplied: (total) => `El código se ha aplicado. Nuevo total: ${total}`,
  couponRemoved: (total) => `El código se ha quitado. Nuevo total: ${total}`,
  coupons: {
    coupon_unknown: 'Este código no existe. Compruebe cómo está escrito.',
    coupon_inactive: 'Este código no se puede usar por ahora.',
    coupon_not_started: 'Este código todavía no es válido.',
    coupon_ended: 'Este código ya no es válido.',
    coupon_exhausted: 'Este código ya se ha usado tantas veces como se permite.',
    coupon_currency_differs: 'Este código no vale para la moneda de su pedido.',
    coupon_repeated: 'Este código ya forma parte de su pedido.',
    coupon_without_effect: 'Este código no descuenta ningún artículo de su pedido.',
    rate_limited: 'Se han probado demasiados códigos. Espere un minuto.',
    checkout_attempt_in_progress: 'Hay un pago en curso. Después se puede cambiar el código.',
  },
  couponOther: 'Este código no se puede usar en su pedido.',

  payPlain: 'Pagar',
  cartComing: 'Esperando su pedido',
  cartComingText:
    'La tienda todavía prepara su pedido. El importe aparece aquí en un momento y antes no se cobra nada.',

  setupLine:
    'Ahora no se cobra nada. La tienda podrá cobrar en esta tarjeta lo que pida más adelante.',
  saved: 'Tarjeta guardada',
  savedText: 'Su banco ha confirmado la tarjeta. No se ha cobrado nada.',
  setup: {
    title: 'Guardar una tarjeta',
    loading: 'Cargando el formulario',
    cardTitle: 'Guardar una tarjeta',
    receiptFor: (email) => `Se guardará para ${email}`,
    payPlain: 'Guardar tarjeta',
    paying: 'Guardando…',
    challengeStop: 'Usar otra tarjeta',
    stopText: 'Entonces la tarjeta no se guarda y puede usar otra.',
    checking: 'Estamos comprobando su tarjeta',
    checkingText: 'Puede tardar un momento. El resultado aparecerá aquí por sí solo.',
    expired: 'Este enlace ha caducado',
    expiredText: 'No se ha guardado ninguna tarjeta. Vuelva a la tienda y empiece de nuevo.',
    canceled: 'Se ha cancelado',
    canceledText: 'No se ha guardado ninguna tarjeta.',
    declineOther: 'El banco ha rechazado la tarjeta.',
    problemTitle: 'La tarjeta no se ha guardado',
  },

  checking: 'Estamos comprobando su pago',
  checkingText:
    'Puede tardar un momento. No pague otra vez; el resultado aparecerá aquí por sí solo.',
  checkingLong:
    'Tarda más de lo habitual. Puede cerrar esta página: comunicaremos el resultado a la tienda.',
  checkingOffline: 'No hay conexión. Seguiremos en cuanto vuelva.',

  succeeded: 'Pago realizado',
  succeededText: (amount) => `Ha pagado ${amount}. Gracias.`,
  complete: 'Completar el pedido',
  completing: 'Completando…',
  freeLine: 'No hay nada que pagar, no hace falta ninguna tarjeta.',
  ordered: 'Pedido completado',
  orderedText: 'No había nada que pagar y no se ha cobrado nada. Gracias.',
  authorized: 'Pago autorizado',
  authorizedText: (amount) => `${amount} reservados en su tarjeta. Todavía no se ha cobrado nada.`,
  authorizedUntil: (date) =>
    `La tienda puede cobrarlo hasta el ${date}; después termina la reserva.`,
  authorizedBefore: (amount, date) =>
    `El ${date} se reservaron ${amount} en su tarjeta. La tienda puede decirle qué ha pasado después.`,
  continueTo: (place) => `Continuar a ${place}`,
  continue: 'Continuar a la tienda',
  returning: 'Volviendo a la tienda…',
  reference: 'Referencia del pago',

  expired: 'Este enlace de pago ha caducado',
  expiredText: 'No se ha cobrado nada. Vuelva a la tienda y empiece el pago de nuevo.',
  canceled: 'Este pago se ha cancelado',
  canceledText: 'No se ha cobrado nada.',
  returned: 'Puede cerrar esta página',
  returnedText: 'Continúa en la ventana donde empezó. La tienda también conocerá el resultado.',
  notFound: 'Este enlace de pago no funciona',
  notFoundText: 'Está incompleto o pertenece a otra pestaña. Abra de nuevo el enlace de la tienda.',
  unusable: 'Este pago no se puede hacer aquí',
  unusableText:
    'La tienda ha enviado una solicitud incompleta. No se ha cobrado nada; vuelva atrás.',
  unreachable: 'No podemos conectar con el servicio de pago',
  unreachableText: 'Compruebe su conexión.',
  retry: 'Reintentar',

  formTitle: 'El formulario de tarjeta no se ha cargado',
  formProblems: {
    blocked_by_csp: 'Una regla de seguridad de esta página lo bloquea. Avise a la tienda.',
    blocked_by_extension_or_network:
      'Quizá lo bloquee una extensión o la red. Desactive los bloqueadores en esta página y reintente.',
    origin_not_allowed: 'La tienda no ha permitido esta dirección. Avise a la tienda.',
    session_expired: 'El formulario ha estado abierto demasiado tiempo.',
    version_mismatch: 'Esta página está anticuada.',
  },

  declineTitle: 'La tarjeta ha sido rechazada',
  declines: {
    insufficient_funds: 'La tarjeta no tiene fondos suficientes.',
    lost_card: 'El banco no acepta esta tarjeta.',
    stolen_card: 'El banco no acepta esta tarjeta.',
    expired_card: 'La tarjeta ha caducado.',
    incorrect_cvc: 'El código de seguridad no es correcto.',
    invalid_cvc: 'El código de seguridad no es correcto.',
    incorrect_number: 'El número de tarjeta no es correcto.',
    invalid_number: 'El número de tarjeta no es correcto.',
    invalid_expiry_month: 'La fecha de caducidad no es correcta.',
    invalid_expiry_year: 'La fecha de caducidad no es correcta.',
    processing_error: 'El banco no ha podido tramitar el pago.',
    authentication_required: 'Su banco quiere que confirme el pago.',
    authentication_failed: 'Su banco no ha podido confirmar que es usted.',
    card_not_supported: 'Con esta tarjeta no se puede hacer este pago.',
    currency_not_supported: 'La tarjeta no admite esta moneda.',
    card_velocity_exceeded: 'La tarjeta ha alcanzado su límite.',
    do_not_honor: 'El banco lo ha rechazado sin dar motivo.',
    generic_decline: 'El banco lo ha rechazado sin dar motivo.',
  },
  declineOther: 'El banco ha rechazado el pago.',
  advices: {
    try_again_later: 'No se ha cobrado nada. Pruebe más tarde o use otra tarjeta.',
    confirm_card_data: 'No se ha cobrado nada. Revise los datos de la tarjeta y reintente.',
    do_not_try_again: 'No se ha cobrado nada. Use otra tarjeta o consulte a su banco.',
  },

  adviceOther: 'No se ha cobrado nada. Reintente o use otra tarjeta.',

  problemTitle: 'El pago no se ha realizado',
  problems: {
    gateway_refused:
      'La tienda no puede aceptar pagos en este momento. No se ha cobrado nada; avise a la tienda.',
    gateway_unavailable:
      'No se puede conectar con la red de tarjetas. No se ha cobrado nada; reintente.',
    service_unavailable: 'El servicio de pago está saturado. No se ha cobrado nada; reintente.',
    rate_limited:
      'Demasiados intentos. No se ha cobrado nada; espere un minuto y vuelva a intentarlo.',
    session_locked:
      'Demasiados intentos. No se ha cobrado nada y aquí ya no se aceptan más tarjetas. Vuelva a la tienda y empiece de nuevo.',
    not_received: 'El pago no nos ha llegado. No se ha cobrado nada; puede reintentar.',
    card_token_spent: 'Introduzca de nuevo su tarjeta. No se ha cobrado nada.',
    form_unavailable:
      'El formulario de tarjeta no recibió respuesta. No se ha cobrado nada; reintente.',
    form_refused:
      'El formulario de tarjeta no puede aceptar tarjetas aquí. No se ha cobrado nada; avise a la tienda.',
    wallet_declined:
      'Su monedero lo ha rechazado. No se ha cobrado nada; reintente o pague con tarjeta.',
    amount_not_supported:
      'Este importe no se puede pagar aquí con tarjeta. No se ha cobrado nada; cambie su pedido en la tienda.',
    capture_method_not_supported:
      'Su monedero no se puede usar para este pedido. No se ha cobrado nada; pague con tarjeta.',
    challenge_canceled: 'La confirmación se ha cancelado. No se ha cobrado nada; puede reintentar.',
    challenge_abandoned: 'No se confirmó a tiempo. No se ha cobrado nada; puede reintentar.',
    buyer_not_verified:
      'La tienda tiene que saber quién es usted antes de guardar su tarjeta. No se ha cobrado nada; inicie sesión en la tienda y empiece de nuevo.',
    payment_method_not_found:
      'Esta tarjeta ya no está guardada. No se ha cobrado nada; elija otra.',
    buyer_mismatch: 'Este pago pertenece a otra persona. No se ha cobrado nada.',
    checkout_session_total_changed:
      'El total de su pedido ha cambiado. No se ha cobrado nada; compruébelo y luego pague.',
    coupon_exhausted:
      'Un código de descuento de su pedido está agotado. No se ha cobrado nada; quite el código y pague.',
    coupon_inactive:
      'Un código de descuento de su pedido ya no es válido. No se ha cobrado nada; quite el código y pague después.',
    subscription_exists:
      'Ya tiene esta suscripción, o hay otro pago en curso para ella. No se ha cobrado nada; la tienda puede informarle.',
    checkout_session_claim_pending:
      'La tienda todavía no ha preparado su pedido. No se ha cobrado nada; reintente en un momento o vuelva a la tienda.',
  },
  waitText: (time) =>
    `Demasiados intentos. No se ha cobrado nada. Puede volver a intentarlo en ${time}.`,
  problemOther: 'Algo de la solicitud ha sido rechazado. No se ha cobrado nada.',
  problemReference: (code) => `Código: ${code}`,
};
