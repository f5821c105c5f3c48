import type { Texts } from './keys.ts';

export const spanish: Texts = {
  title: 'Datos de la tarjeta',
  loading: 'Cargando el formulario de tarjeta',
  number: 'Número de tarjeta',
  expiry: 'Fecha de caducidad',
  expiryPlaceholder: 'MM / AA',
  cvc: 'Código de seguridad',
  name: 'Nombre en la tarjeta',
  postalCode: 'Código postal',
  cvcHint3: '3 dígitos en el reverso de la tarjeta',
  cvcHint4: '4 dígitos en el anverso de la tarjeta',
  brandDetected: 'Tarjeta {brand}',
  number_incomplete: 'Introduce el número de tarjeta completo.',
  number_invalid: 'Revisa el número de tarjeta: contiene un error.',
  expiry_incomplete: 'Introduce el mes y el año de caducidad.',
  expiry_past: 'Esta tarjeta ha caducado; usa otra.',
  cvc_incomplete: 'Introduce el código de seguridad: {hint}.',
  name_required: 'Introduce el nombre tal como figura en la tarjeta.',
  postal_code_required: 'Introduce el código postal de la dirección de facturación.',
  brand_unsupported: 'Aquí no se acepta esta marca; usa otra tarjeta.',
  session_expired: 'Este pago ha caducado; vuelve a cargar la página para continuar.',
  rate_limited: 'Demasiados intentos; espera un momento y vuelve a intentarlo.',
  card_declined: 'La tarjeta fue rechazada; usa otra o consulta a tu banco.',
  unavailable:
    'No hemos podido contactar con el servicio de tarjetas; no se ha cobrado nada, inténtalo de nuevo.',
};
